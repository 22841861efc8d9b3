const BAR_WIDTH = 20

/** Writes how far the work is: `[#####···············] 250 of 1000 (25 %), 83 a second`. */
export function progressBar(done: number, total: number, seconds: number): string {
  const part = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.floor(part * BAR_WIDTH)
  const bar = '#'.repeat(filled) + '·'.repeat(BAR_WIDTH - filled)
  const rate = seconds >= 1 ? `, ${Math.round(done / seconds)} a second` : ''
  return `[${bar}] ${done} of ${total} (${Math.floor(part * 100)} %)${rate}`
}
