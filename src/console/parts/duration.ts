/** `0.4 s`, `12 s`, `2 min 5 s`, `3 h 20 min`. */
export function durationText(seconds: number): string {
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return joined(`${minutes} min`, whole % 60, 's')
  return joined(`${Math.floor(minutes / 60)} h`, minutes % 60, 'min')
}

function joined(text: string, rest: number, unit: string): string {
  return rest === 0 ? text : `${text} ${rest} ${unit}`
}
