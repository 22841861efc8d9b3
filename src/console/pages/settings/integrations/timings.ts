export const TIMINGS = [
  { value: 'immediately', label: 'immediately' },
  { value: 'hourly', label: 'hourly' },
  { value: 'daily', label: 'daily' },
] as const

export type TimingName = (typeof TIMINGS)[number]['value']
