import type { Metric, Registry } from 'prom-client'

type Labels = Readonly<Record<string, string | number>>
type Counts = { readonly labels: Labels; readonly buckets: number[]; sum: number; count: number }

type Histogram = {
  /**
   * Returns the function that observes a value under these labels. Callers keep it, so that observing needs no look-up.
   */
  of(labels: Labels): (value: number) => void
}

/** A histogram in the format of prom-client, whose own one checks and hashes the labels at every value. */
export function createHistogram(
  registry: Registry,
  { name, help, buckets }: { name: string; help: string; buckets: readonly number[] },
): Histogram {
  const countsByLabels = new Map<string, Counts>()
  const metric = { name, help, type: 'histogram', get: () => ({ name, help, type: 'histogram', values: values() }) }
  const values = () => [...countsByLabels.values()].flatMap((counts) => exported(name, buckets, counts))
  registry.registerMetric(metric as unknown as Metric)
  return {
    of: (labels) => {
      const key = JSON.stringify(labels)
      const counts = countsByLabels.get(key) ?? { labels, buckets: buckets.map(() => 0), sum: 0, count: 0 }
      countsByLabels.set(key, counts)
      return (value) => observe(counts, buckets, value)
    },
  }
}

function observe(counts: Counts, buckets: readonly number[], value: number): void {
  counts.sum += value
  counts.count += 1
  const bucket = buckets.findIndex((upperBound) => value <= upperBound)
  if (bucket !== -1) counts.buckets[bucket]! += 1
}

/** Exports cumulative buckets, as Prometheus expects: each includes the values of the smaller ones. */
function exported(name: string, buckets: readonly number[], { labels, buckets: counted, sum, count }: Counts) {
  let below = 0
  const lines = buckets.map((le, index) => {
    below += counted[index]!
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below }
  })
  return [
    ...lines,
    { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
