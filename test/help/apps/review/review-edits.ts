import type { Page } from 'playwright-core'
import { ServiceError } from '#contract/core/errors.ts'
import { readProposal } from '#contract/maintenance/proposals.ts'
import { stageEdit } from '#contract/maintenance/tools.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { createRunTokens } from '../../../../src/server/areas/maintenance/claims/token.ts'
import { validateChange } from '../../../../src/server/areas/maintenance/proposals/validate/validate-change.ts'
import { runSvc } from '../../programs/cli-run.ts'
import type { System } from '../../system.ts'
import { appPorts, type LiveApp, makeLive, makeLiveApp, uploadFiles } from '../live-app.ts'
import { proposeEdits } from '../propose.ts'
import { type RandomEdit, randomEdits } from './random-edits.ts'
import { applyShown, type PatchByPath, readPrinted, readRendered } from './shown-patches.ts'

type Person = Awaited<ReturnType<System['member']>>
type Setup = { readonly system: System; readonly page: Page; readonly admin: Person }

/** A change has at most this many files. */
const FILES = 5
const FENCE = 7

export type Review = {
  readonly seed: number
  readonly edits: number
  readonly shown: number
  /** How many edits were refused, by reason. */
  readonly refused: Record<string, number>
  /** Edits of which one of the three shows something else than what would be deployed. Must be empty. */
  readonly faults: string[]
}

/**
 * Takes random edits through staging, validation, API, client and console, which must show every changed byte of those that
 * are not refused.
 */
export async function reviewEdits(setup: Setup, { count, seed }: { count: number; seed: number }): Promise<Review> {
  const edits = randomEdits(seed, count)
  const review: Review & { shown: number } = { seed, edits: count, shown: 0, refused: {}, faults: [] }
  const shop = await makeLiveApp(setup.system, setup.admin, { alias: 'shop', files: { 'empty.txt': '' } })
  for (let from = 0; from < edits.length; from += FILES) {
    const some = edits.slice(from, from + FILES)
    const app = await makeFilesLive(setup, shop, some)
    const staged: RandomEdit[] = []
    for (const edit of some) {
      const refusal = await refuseStaged(setup, app, edit)
      if (refusal === undefined) staged.push(edit)
      else {
        const reason = refusal.replace(edit.path, '…').replace(/[\d‹].*/, '')
        review.refused[reason] = (review.refused[reason] ?? 0) + 1
        const invalid = await refuseValidated(setup, app, edit)
        if (invalid !== refusal && isAboutView(refusal)) review.faults.push(`${refusal} at staging, ${invalid} later`)
      }
    }
    if (staged.length > 0) review.faults.push(...(await findFaults(setup, app, staged)))
    review.shown += staged.length
  }
  return review
}

/** Makes the files before their edits live, in an app that has had no proposal today. */
async function makeFilesLive({ system, admin }: Setup, app: LiveApp, edits: readonly RandomEdit[]): Promise<LiveApp> {
  await system.db.query(sql`delete from maintenance.proposals where app_id = ${app.id}`)
  const files = Object.fromEntries(edits.map(({ path, before }) => [path, before]))
  const live = { ...app, revisionId: await uploadFiles(system, admin, { alias: app.alias, files }) }
  await makeLive(system, live)
  return live
}

function isAboutView(refusal: string): boolean {
  return /^The (?:change of|diff)/.test(refusal)
}

/** Stages an edit as a run of its own. Returns why it was refused. */
async function refuseStaged({ system, admin }: Setup, app: LiveApp, edit: RandomEdit): Promise<string | undefined> {
  const run = newId('exe')
  await system.db.query(sql`
    insert into maintenance.runs (id, org_id, app_id, mode, model, status, fence, lease_until, created_at, revision_id)
    values (${run}, ${admin.org_id}, ${app.id}, 'manual', 'test/model', 'running', ${FENCE}, now() + interval '1 hour',
      now(), ${app.revisionId})`)
  const token = createRunTokens(system.config.secrets.internalSecret).mint({ id: run, fence: FENCE })
  try {
    await system.client(token).call(stageEdit, { path: edit.path, old: edit.old, new: edit.new })
    return undefined
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INVALID_REQUEST') return error.message
    throw error
  } finally {
    await system.db.query(sql`
      update maintenance.runs set status = 'ended', terminal_code = 'internal', ended_at = now() where id = ${run}`)
  }
}

async function refuseValidated({ system, admin }: Setup, app: LiveApp, edit: RandomEdit): Promise<string | undefined> {
  const change = await validateChange(appPorts(system), {
    orgId: admin.org_id,
    appId: app.id,
    revisionId: app.revisionId,
    edits: [{ path: edit.path, old_text: edit.old, new_text: edit.new }],
    summary: 'A change',
    hold: async () => true,
    signal: new AbortController().signal,
  })
  return change && 'invalid' in change ? change.invalid : undefined
}

async function findFaults({ system, admin, page }: Setup, app: LiveApp, edits: RandomEdit[]): Promise<string[]> {
  const changes = edits.map(({ path, old, new: fresh }) => ({ path, old_text: old, new_text: fresh }))
  const of = { org_id: admin.org_id, alias: app.alias, requestedBy: null, edits: changes }
  const proposal_id = await proposeEdits(system, of)
  const read = await system.client(admin.token).call(readProposal, { alias: app.alias, proposal_id, diff: true })
  if (read.status !== 'ready') return [`${app.alias}: staged, and then ${read.status}: ${read.invalid_reason}`]
  const files = read.diff!.files.map(({ path, patch }) => [path, rowsOf(patch!)] as const)
  const env = { SVC_API_URL: system.url, SVC_API_KEY: admin.token }
  const { stdout } = await runSvc(['apps', 'proposals', 'show', app.alias, proposal_id, '--diff'], { env })
  await page.goto(`${system.url}/apps/${app.alias}/changes/${proposal_id}`)
  await page.locator('table.hunks').first().waitFor()
  const views = { api: new Map(files), client: readPrinted(stdout), console: await readRendered(page) }
  return Object.entries(views).flatMap(([name, shown]) => edits.flatMap((edit) => faultOf(name, shown, edit)))
}

function rowsOf(patch: string): string {
  return patch.replace(/\n$/, '').split('\n').slice(2).join('\n')
}

function faultOf(view: string, shown: PatchByPath, { path, before, after }: RandomEdit): string[] {
  const patch = shown.get(path)
  const result = patch === undefined ? undefined : applyShown(before, patch)
  return result === after ? [] : [`${view} of ${path}: ${JSON.stringify({ before, after, patch })}`]
}
