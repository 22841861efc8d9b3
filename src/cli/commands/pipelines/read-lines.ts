import type { Client } from '#contract/core/client.ts'
import { readPipelineRunLog } from '#contract/pipelines.ts'
import type { Line } from './line.ts'

/** Reads all lines of a run after a position, and returns the position of the last one. */
export async function readLines(
  client: Client,
  named: { alias: string; name: string; run_id: string },
  after = 0,
): Promise<{ lines: Line[]; after: number }> {
  const lines: Line[] = []
  let position = after
  while (true) {
    const page = await client.call(readPipelineRunLog, { ...named, after: position })
    lines.push(...page.lines)
    position = page.last ?? position
    if (!page.has_more) return { lines, after: position }
  }
}
