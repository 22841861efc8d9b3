import type { Metric, Registry } from 'prom-client'

type Labels = Readonly<Record<string, string | number>>
type Counts = { readonly labels: Labels; readonly buckets: number[]; sum: number; count: number }

type Histogram = {
  /** Counts under these labels. Made once and kept by whoever observes: nothing is looked up afterwards. */
  of(labels: Labels): (value: number) => void
}

/** As prom-client writes it. Not its own, which checks and hashes the labels anew at every value. */
export function createHistogram(
  registry: Registry,
  { name, help, buckets }: { name: string; help: string; buckets: readonly number[] },
): Histogram {
  const kept = new Map<string, Counts>()
  const metric = { name, help, type: 'histogram', get: () => ({ name, help, type: 'histogram', values: values() }) }
  const values = () => [...kept.values()].flatMap((counts) => exported(name, buckets, counts))
  registry.registerMetric(metric as unknown as Metric)
  return {
    of: (labels) => {
      const key = JSON.stringify(labels)
      const counts = kept.get(key) ?? { labels, buckets: buckets.map(() => 0), sum: 0, count: 0 }
      kept.set(key, counts)
      return (value) => observe(counts, buckets, value)
    },
  }
}

function observe(counts: Counts, buckets: readonly number[], value: number): void {
  counts.sum += value
  counts.count += 1
  const bucket = buckets.findIndex((most) => value <= most)
  if (bucket !== -1) counts.buckets[bucket]! += 1
}

/** Each bucket holds those below it too. */
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
