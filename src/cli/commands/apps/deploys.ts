import { randomUUID } from 'node:crypto'
import { listDeploys, rollBack } from '#contract/apps/deploys.ts'
import { nameRollback } from '#contract/apps/name-rollback.ts'
import { clientCommand } from '../../call/client-command.ts'
import { listCommand } from '../../call/operation-command.ts'
import { outcomeOf, untilDeployed } from '../../source/follow-deploy.ts'
import { lastLinesOf } from '../../source/last-lines.ts'

export const list = listCommand(listDeploys, {
  label: 'Listing deploys',
  input: ([alias]) => ({ alias }),
  header: ['DEPLOY', 'STATE', 'REVISION', 'CREATED', 'MESSAGE', 'FAILURE'],
  row: (deploy, cli) => [
    deploy.id,
    deploy.failure_code ? `${deploy.state} ${deploy.failure_code}` : deploy.state,
    deploy.revision_id,
    cli.time(deploy.created_at),
    deploy.kind === 'rollback' ? nameRollback(deploy) : (deploy.revision_message ?? '-'),
    deploy.failure_detail ?? '-',
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
