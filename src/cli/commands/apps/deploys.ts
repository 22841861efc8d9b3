import { randomUUID } from 'node:crypto'
import { listDeploys, rollBack } from '#contract/apps/deploys.ts'
import { clientCommand } from '../../call/client-command.ts'
import { listCommand } from '../../call/operation-command.ts'
import { outcomeOf, untilDeployed } from '../../source/follow-deploy.ts'
import { lastLinesOf } from '../../source/last-lines.ts'

export const list = listCommand(listDeploys, {
  label: 'Listing deploys',
  input: ([alias]) => ({ alias }),
  header: ['DEPLOY', 'STATE', 'REVISION', 'CREATED', 'MESSAGE', 'FAILURE'],
  row: ({ id, state, failure_code, failure_detail, revision_id, revision_message, created_at }, cli) => [
    id,
    failure_code ? `${state} ${failure_code}` : state,
    revision_id,
    cli.time(created_at),
    revision_message ?? '-',
    failure_detail ?? '-',
  ],
  cut: ['MESSAGE', 'FAILURE'],
  none: ([alias], _, { config }) =>
    `Nothing of ${alias} was deployed yet. Deploy a folder: ${config.program} apps deploy ${alias} --dir .`,
})

type RollbackFlags = { revision?: string; follow?: boolean }

export const rollback = clientCommand(async (client, [alias], { revision, follow }: RollbackFlags, cli) => {
  const input = { alias, ...(revision !== undefined && { revision_id: revision }) }
  const started = await client.call(rollBack, input, { idempotencyKey: randomUUID() })
  if (!follow) {
    const text = `Deploy ${started.id} of ${alias} returns to ${started.revision_id}: ${started.state}.`
    return { document: started, text }
  }
  const deploy = await untilDeployed(client, alias, started, cli.note)
  const notes = await lastLinesOf(client, alias, deploy, cli)
  return { document: deploy, text: outcomeOf(alias, deploy), notes, isFailure: deploy.state !== 'live' }
})
