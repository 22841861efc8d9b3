import { type Deploy, followDeploy } from '#contract/apps/deploys.ts'
import { failureLine } from '#contract/apps/failed-deploy.ts'
import type { Client } from '#contract/core/client.ts'
import { showInvisible } from '#contract/core/show-invisible.ts'
import { printable } from '../terminal/printable.ts'

/** Passes on lines of the build and changes of state until the deploy is live or has ended. Returns its last state. */
export async function untilDeployed(
  client: Client,
  alias: string,
  deploy: Deploy,
  onLine: (line: string) => void,
): Promise<Deploy> {
  let last = deploy
  // Held back until the next event, because the result of the command repeats the line about its failure.
  let held: string | undefined
  for await (const event of client.stream(followDeploy, { alias, deploy_id: deploy.id })) {
    const isRepeated = event.type === 'state' && held === failureLine(event.deploy)
    if (held !== undefined && !isRepeated) onLine(showInvisible(held))
    held = event.type === 'log' ? event.text : undefined
    if (event.type === 'state') {
      last = event.deploy
      onLine(`${last.id}: ${last.state}`)
    }
  }
  if (held !== undefined) onLine(showInvisible(held))
  return last
}

/** Describes the end of a deploy in one sentence. */
export function outcomeOf(alias: string, { id, state, failure_code, failure_detail }: Deploy): string {
  if (state === 'live') return `${alias} is live (${id}).`
  if (state === 'superseded') return `Deploy ${id} was replaced by a newer one before it began.`
  const why = [failure_code, failure_detail].filter((part) => part !== null).map(printable)
  return `Deploy ${id} failed. ${why.join(': ')}`
}
