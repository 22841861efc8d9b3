type Cell = { readonly runs: number; readonly passed: number } | null

/** Returns the content of the strip as text: `118 of 120 runs passed in 30 days`. */
export function summarizeHistory(cells: readonly Cell[]): string {
  const runs = cells.reduce((sum, cell) => sum + (cell?.runs ?? 0), 0)
  const passed = cells.reduce((sum, cell) => sum + (cell?.passed ?? 0), 0)
  return runs === 0 ? `No runs in ${HISTORY_DAYS} days` : `${passed} of ${runs} runs passed in ${HISTORY_DAYS} days`
}

export const HISTORY_DAYS = 30
