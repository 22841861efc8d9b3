import type { Deploy } from '#contract/apps/deploys.ts'
import { errorAbove } from '#contract/apps/error-line.ts'
import { appLines, cutLine, hasFailedInApp, MAX_LINES, READ_LINES } from '#contract/apps/failed-deploy.ts'
import { searchLogs } from '#contract/apps/logs.ts'
import type { Client } from '#contract/core/client.ts'
import type { Cli } from '../command/command.ts'
import { printable } from '../terminal/printable.ts'

/** Returns the last lines that the app of a failed deploy printed, the error above them, and how to read all of them. */
export async function lastLinesOf(client: Client, alias: string, deploy: Deploy, { config }: Pick<Cli, 'config'>) {
  if (!hasFailedInApp(deploy)) return []
  const hint = `Read the whole log: ${config.program} apps logs ${alias} --deploy ${deploy.id}`
  const lines = await readAppLines(client, alias, deploy.id)
  const last = lines.slice(-MAX_LINES)
  if (last.length === 0) return [hint]
  const above = errorAbove(lines, last)
  const why = above.length > 0 ? ['The error of the app:', ...above.map(shown)] : []
  return [...why, 'The last lines of the app:', ...last.map(shown), hint]
}

/** Returns no lines if the log cannot be read, because the failure of the deploy is what the person needs to know. */
async function readAppLines(client: Client, alias: string, deployId: string): Promise<string[]> {
  const found = await client
    .call(searchLogs, { alias, deploy_id: deployId, limit: READ_LINES })
    .catch(() => ({ items: [] }))
  return appLines(found.items)
}

function shown(line: string): string {
  return `  ${cutLine(printable(line))}`
}
