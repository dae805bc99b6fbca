/** The cost curve on the page: pairs (iteration, cost), thinned to a few hundred. */

const LIMIT = 400;

export class CostHistory {
  iterations: number[] = [];
  costs: number[] = [];

  static from(pairs: Float32Array): CostHistory {
    const history = new CostHistory();
    for (let i = 0; i + 1 < pairs.length; i += 2) history.push(pairs[i], pairs[i + 1]);
    return history;
  }

  /** The curve with one more point. The arrays are shared; only the object is new. */
  with(iteration: number, cost: number): CostHistory {
    this.push(iteration, cost);
    return Object.assign(new CostHistory(), this);
  }

  private push(iteration: number, cost: number): void {
    if (!Number.isFinite(cost)) return;
    const last = this.iterations.length - 1;
    // A reset restarts the iterations, and with them the curve.
    if (last >= 0 && iteration < this.iterations[last]) {
      this.iterations = [];
      this.costs = [];
    } else if (last >= 0 && iteration === this.iterations[last]) {
      this.costs[last] = cost;
      return;
    }
    this.iterations.push(iteration);
    this.costs.push(cost);
    if (this.iterations.length > LIMIT) this.thin();
  }

  private thin(): void {
    const keep = (_: number, i: number) => i % 2 === 0 || i === this.iterations.length - 1;
    const costs = this.costs.filter(keep);
    this.iterations = this.iterations.filter(keep);
    this.costs = costs;
  }
}
