type At = { readonly created_at: string }

/** Places each deploy between the oldest (0) and the newest (`width`) by its time. */
export function placeDeploys<D extends At>(deploys: readonly D[], width: number): { deploy: D; x: number }[] {
  const times = deploys.map(({ created_at }) => Date.parse(created_at))
  const first = Math.min(...times)
  const length = Math.max(...times) - first
  return deploys.map((deploy, index) => ({
    deploy,
    x: length === 0 ? width / 2 : ((times[index]! - first) / length) * width,
  }))
}
