type Cell = { readonly runs: number; readonly passed: number } | null

/** Says in words what the strip shows: `118 of 120 runs passed in 30 days`. */
export function summarizeHistory(cells: readonly Cell[], days = HISTORY_DAYS): string {
  const runs = cells.reduce((sum, cell) => sum + (cell?.runs ?? 0), 0)
  const passed = cells.reduce((sum, cell) => sum + (cell?.passed ?? 0), 0)
  return runs === 0 ? `No runs in ${days} days` : `${passed} of ${runs} runs passed in ${days} days`
}

export const HISTORY_DAYS = 30
