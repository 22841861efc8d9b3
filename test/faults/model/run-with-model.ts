import { listFindings } from '#contract/maintenance/findings.ts'
import { readProposal } from '#contract/maintenance/proposals.ts'
import { readMaintenanceRun, startMaintenanceRun } from '#contract/maintenance/runs.ts'
import { changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { type FakeChat, startFakeChat } from '#test/outside/fake-chat.ts'
import type { System } from '#test/system.ts'
import { until } from '#test/until.ts'
import type { App } from '../fault-app.ts'
import { plantApp } from '../plant.ts'
import { answerAsModel } from './scripted-model.ts'

/** The result of one run with the model. */
export type ModelRun = {
  /** Terminal code of the run. */
  readonly code: string
  readonly kinds: readonly string[]
  /** Paths that its proposal changes. Empty if it made none. */
  readonly proposed: readonly string[]
  readonly status: string | null
}

export type Planter = { readonly system: System; readonly owner: Awaited<ReturnType<System['member']>> }

/** Starts the provider on loopback that answers as a competent model. */
export async function startScriptedModel(): Promise<FakeChat> {
  const fake = await startFakeChat()
  fake.answerWith = answerAsModel
  return fake
}

/** Settings of a system that has the provider. */
export function scriptedEnvironment(fake: FakeChat): { SVC_AI_PROVIDERS: string } {
  return { SVC_AI_PROVIDERS: JSON.stringify([fake.provider('scripted', 'openai', [{ name: 'model' }])]) }
}

export async function chooseScriptedModel(system: System): Promise<Planter> {
  const owner = await system.member('owner')
  const change = { org_id: owner.org_id, enabled: true, model: 'scripted/model' }
  await system.client(owner.token).call(changeOrgMaintenance, change)
  return { system, owner }
}

/** Plants the app and runs the maintenance agent with the scripted model on it. */
export async function runWithModel({ system, owner }: Planter, alias: string, app: App): Promise<ModelRun> {
  const client = system.client(owner.token)
  await plantApp(system, owner, alias, app)
  const { execution_id } = await client.call(startMaintenanceRun, { alias, mode: 'manual' })
  const read = () => client.call(readMaintenanceRun, { alias, execution_id })
  await until(async () => (await read()).status === 'ended')
  const { terminal_code, proposal_id } = await read()
  const { items } = await client.call(listFindings, { alias })
  const proposal = proposal_id ? await client.call(readProposal, { alias, proposal_id, diff: true }) : undefined
  return {
    code: terminal_code ?? '',
    kinds: items.map(({ kind }) => kind),
    proposed: proposal?.diff?.files.map(({ path }) => path) ?? [],
    status: proposal?.status ?? null,
  }
}
