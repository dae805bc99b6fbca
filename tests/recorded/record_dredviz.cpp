// What dredviz, the program of NeRV's authors, computes; called by record_other_programs.py.
//
//     g++ -O2 -ffp-contract=off -I DREDVIZ record_dredviz.cpp -o record_dredviz
//     ./record_dredviz FOLDER LAMBDA...
//
// DREDVIZ is a folder with its sources, of which those of the cost function and the neighborhoods
// are compiled. What they need besides, matrices and interfaces, stands here in its place, and the
// search for a width is given the width. FOLDER holds sizes, data, layout and widths as numbers
// (n, d, X, Y, widths), and gets the cost and the gradient for each LAMBDA.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

// The guards of the headers that this file replaces.
#define COSTFUNCTION_HH
#define DATAMATRIX_HH
#define DATASET_HH
#define DISTANCEMATRIX_HH
#define DYNAMICDOUBLE_HH
#define EUCLIDEAN_HH
#define EUCLIDEANSQUARED_HH
#define GOLDENSECTIONSEARCH_HH
#define LINESEARCH_HH
#define SOMPACKEXPORTER_HH

using std::vector;

namespace dredviz {

class DataMatrix {
 public:
  DataMatrix(size_t rows = 1, size_t cols = 1) : rows(rows), cols(cols), values(rows * cols) {}
  size_t getRows() const { return rows; }
  size_t getCols() const { return cols; }
  double &operator()(size_t i, size_t j) { return values[i * cols + j]; }
  double operator()(size_t i, size_t j) const { return values[i * cols + j]; }
  double getMax() const { return *std::max_element(values.begin(), values.end()); }

 private:
  size_t rows, cols;
  vector<double> values;
};

struct EuclideanSquared {
  double operator()(const DataMatrix &points, size_t i, size_t j) const {
    double sum = 0;
    for (size_t d = 0; d < points.getCols(); ++d)
      sum += (points(i, d) - points(j, d)) * (points(i, d) - points(j, d));
    return sum;
  }
};

class DistanceMatrix : public DataMatrix {
 public:
  explicit DistanceMatrix(const DataMatrix &points)
      : DataMatrix(points.getRows(), points.getRows()) {
    for (size_t i = 0; i < getRows(); ++i)
      for (size_t j = 0; j < getRows(); ++j)
        (*this)(i, j) = std::sqrt(EuclideanSquared()(points, i, j));
  }
  double getMin() const {
    double least = std::numeric_limits<double>::max();
    for (size_t i = 0; i < getRows(); ++i)
      for (size_t j = 0; j < i; ++j) least = std::min(least, (*this)(i, j));
    return least;
  }
};

struct DynamicDouble {
  double value() const { return 0; }  // no neighborhood is wider than its own width
  void update(size_t, size_t) {}
};

struct CostFunction {
  virtual ~CostFunction() {}
};

struct LineSearch {};

vector<double> given;

class GoldenSectionSearch : public LineSearch {
 public:
  template <class Function>
  double operator()(Function &, DataMatrix &point, const DataMatrix &, double, double &) {
    point(0, 0) = given[next++];
    return 0;
  }

 private:
  size_t next = 0;
};

}  // namespace dredviz

#include "nervcostfunction.cc"
#include "nervprobability.cc"

namespace dredviz {

InputProbEntropy::InputProbEntropy(size_t, size_t index, NeRVProbability &prob)
    : index(index), prob(prob) {}

}  // namespace dredviz

int main(int count, char **arguments) {
  using namespace dredviz;
  const std::string folder = arguments[1];
  std::ifstream input(folder + "/dredviz.txt");
  size_t n, d;
  input >> n >> d;
  DataMatrix X(n, d), Y(n, 2), gradient(n, 2);
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < d; ++k) input >> X(i, k);
  for (size_t i = 0; i < n; ++i) input >> Y(i, 0) >> Y(i, 1);
  given.resize(n);
  for (double &squared : given) {
    input >> squared;
    squared = 1 / squared;
  }
  const DistanceMatrix distances(X);
  for (int k = 2; k < count; ++k) {
    LineSearch search;
    NeRVCostFunction function(distances, Y, search, DynamicDouble(), std::stod(arguments[k]), 2,
                              vector<double>(n, 1.0), std::cerr);
    std::ofstream output(folder + "/dredviz_" + arguments[k] + ".csv");
    output.precision(17);
    output << function.evaluate(Y) << ",0\n";
    function.getGradient(Y, gradient);
    for (size_t i = 0; i < n; ++i) output << gradient(i, 0) << "," << gradient(i, 1) << "\n";
  }
}
