import type { z } from 'zod'
import { numberText } from '#console/charts/number-text.ts'
import type { readPipelineSeries } from '#contract/pipelines.ts'

type Bucket = z.output<typeof readPipelineSeries.output>['items'][number]

/** `13 of 14 runs succeeded` */
export function succeededText(buckets: readonly Pick<Bucket, 'runs' | 'succeeded'>[]): string {
  const sum = (of: 'runs' | 'succeeded') => numberText(buckets.reduce((all, bucket) => all + bucket[of], 0))
  return `${sum('succeeded')} of ${sum('runs')} runs succeeded`
}

/** The results of runs from the bottom of each bar, without those that no run had. */
export function pipelineParts(buckets: readonly Bucket[]) {
  const parts = [
    { label: 'Failed', tone: 'error', values: buckets.map(({ failed }) => failed) },
    { label: 'Did not run', tone: 'warn', values: buckets.map(({ not_run }) => not_run) },
    { label: 'Succeeded', tone: 'info', values: buckets.map(({ succeeded }) => succeeded) },
    { label: 'Under way', values: buckets.map(({ under_way }) => under_way) },
  ] as const
  return parts.filter(({ label, values }) => label === 'Succeeded' || values.some((count) => count > 0))
}
