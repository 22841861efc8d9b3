/** Writes a whole number for people, shortened from 10,000 on: `1,234`, `12.5k`, `2M`. */
export function numberText(value: number): string {
  if (value < 10_000) return value.toLocaleString('en')
  const [size, unit] = value < 999_950 ? [1_000, 'k'] : [1_000_000, 'M']
  return `${Number((value / size).toFixed(1))}${unit}`
}

/** Writes a share of 1 in percent: `7.5 %`. */
export function shareText(share: number): string {
  const percent = share * 100
  return percent > 0 && percent < 0.1 ? 'less than 0.1 %' : `${Number(percent.toFixed(1))} %`
}
