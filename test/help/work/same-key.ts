import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { createApp } from '#contract/apps/apps.ts'
import { listMaintenanceRuns } from '#contract/maintenance/runs.ts'
import { changeAppMaintenance, changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import type { System } from '../system.ts'

const ALIAS = 'many'

/** Prints `ready`, and sends its request when its input ends. Then prints the status and the execution id. */
const PROGRAM = `
  const { URL: url, TOKEN: token } = process.env
  process.stdout.write('ready')
  process.stdin.resume().once('end', async () => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json', 'idempotency-key': 'same' },
      body: '{"mode": "manual"}',
    })
    process.stdout.write(' ' + answer.status + ' ' + (await answer.json()).execution_id)
  })`

type Report = {
  /** The execution id that each process was answered with. */
  readonly answers: readonly string[]
  /** The runs that there are. */
  readonly runs: readonly string[]
}

/** Starts a run with one idempotency key from many processes at once. */
export async function sameKey(system: System, { processes }: { processes: number }): Promise<Report> {
  const { token, org_id } = await system.member('admin')
  const admin = system.client(token)
  await admin.call(createApp, { alias: ALIAS })
  await admin.call(changeOrgMaintenance, { org_id, enabled: true, model: 'builtin/detectors' })
  await admin.call(changeAppMaintenance, { alias: ALIAS, enabled: true })
  const url = `${system.url}/api/deploy/deployments/${ALIAS}/maintenance-agent/runs`
  const started = await Promise.all(Array.from({ length: processes }, () => startProgram({ URL: url, TOKEN: token })))
  const answers = await Promise.all(started.map((send) => send()))
  const { items } = await admin.call(listMaintenanceRuns, { alias: ALIAS, limit: 100 })
  return { answers, runs: items.map(({ execution_id }) => execution_id) }
}

/** Resolves when the program is ready. The function that it gives lets it send its request. */
async function startProgram(env: Record<string, string>): Promise<() => Promise<string>> {
  const child = spawn(process.execPath, ['-e', PROGRAM], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return async () => {
    child.stdin.end()
    const [, status, executionId] = (await text(child.stdout)).split(' ')
    if (status !== '202') throw new Error(`a start was answered with ${status}`)
    return executionId!
  }
}
