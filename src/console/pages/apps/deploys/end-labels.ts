import { dayLabel } from '#console/charts/day-label.ts'

/** Labels of the ends of the timeline: their days, or the times where both are of one day. */
export function endLabels(first: string, last: string): string[] {
  const [from, to] = [dayLabel(first), dayLabel(last)]
  if (from !== to) return [from, to]
  const [begin, end] = [timeOf(first), timeOf(last)]
  return begin === end ? [`${from}, ${begin}`] : [`${from}, ${begin}`, end]
}

function timeOf(at: string): string {
  return new Date(at).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
}
