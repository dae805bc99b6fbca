# What the R programs sneer and lfda compute; called by record_other_programs.py.
#
#   Rscript record_r_programs.R FOLDER SNEER LFDA
#
# SNEER and LFDA are checkouts of the two programs, of which only single files are loaded: the whole
# packages need others that not every machine has. FOLDER holds the inputs as CSV without headings
# and gets the outputs. All axes of lfda are asked for, so that it takes R's own eigenvalue solver.

arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
for (file in c("stiffness.R", "gradient.R", "cost.R")) source(file.path(arguments[2], "R", file))
for (file in c("helpers.R", "lfda.R")) source(file.path(arguments[3], "R", file))

got <- function(name) unname(as.matrix(read.csv(file.path(folder, name), header = FALSE)))
put <- function(values, name) {
  write.table(
    format(values, digits = 17), file.path(folder, name),
    sep = ",", quote = FALSE, row.names = FALSE, col.names = FALSE
  )
}

Y <- got("Y.csv")
squares <- as.matrix(dist(Y))^2

# Heavy-tailed symmetric SNE of joint affinities.
P <- got("joint.csv")
for (alpha in got("alphas.csv")[, 1]) {
  W <- (1 + alpha * squares)^(-1 / alpha)
  diag(W) <- 0
  K <- hssne_stiffness_fn(P, W / sum(W), W, alpha = alpha)
  put(stiff_to_grads(Y, 2 * K), paste0("hssne_", alpha, ".csv"))
}

# NeRV of rows, with the width of each neighborhood.
P <- got("rows.csv")
widths <- got("widths.csv")[, 1]
W <- exp(-widths * squares)
diag(W) <- 0
Q <- W / rowSums(W)
for (tradeoff in got("tradeoffs.csv")[, 1]) {
  K <- tradeoff * asne_stiffness_fn(P, Q, beta = widths) +
    (1 - tradeoff) * reverse_asne_stiffness_fn(P, Q, kl_divergence_rows(Q, P), beta = widths)
  put(stiff_to_grads(Y, 2 * K), paste0("nerv_", tradeoff, ".csv"))
}

# Local Fisher discriminant analysis.
data <- got("wine.csv")
last <- ncol(data)
found <- lfda(data[, -last], data[, last], r = last - 1, metric = "plain", knn = got("knn.csv")[1, 1])
put(t(found$T[, 1:2]), "lfda.csv")
