import { z } from 'zod'
import type { Querier } from '#lib/db/db.ts'
import { jsonOrUndefined } from '#lib/json-or-undefined.ts'
import type { AppTrial, TryAppRevision } from '#ports/app-trials.ts'
import type { SourceFile } from './deploys/target.ts'
import { findApp } from './model/store.ts'
import type { TrialRequest } from './process/build/trial.ts'
import { readFiles } from './revisions/read-files.ts'
import { readFile } from './revisions/store.ts'

type Deps = {
  readonly db: Querier
  readonly run: (request: TrialRequest) => Promise<AppTrial>
  readonly onError: (error: unknown, appId: string) => void
}

/** Tries changed revisions with the commands that their app declares. */
export function createAppTrials({ db, run, onError }: Deps): TryAppRevision {
  return async ({ orgId, appId, revisionId, texts, testRuns, time, signal }) => {
    const app = await findApp(db, orgId, { id: appId })
    if (!app) throw new Error(`there is no app ${appId} to try a revision of`)
    const withTests = testRuns > 0
    const manifest = withTests ? await readFile(db, appId, revisionId, 'package.json') : undefined
    return run({
      orgId,
      appId,
      files: overlaid(readFiles(db, orgId, revisionId), texts),
      buildCommand: app.build_command,
      testCommand: withTests ? testCommandOf(manifest) : undefined,
      testRuns,
      time,
      signal,
    }).catch((error: unknown) => {
      if (signal.aborted) throw error
      onError(error, appId)
      return withTests ? { build: SVC_FAILED, test: SVC_FAILED } : { build: SVC_FAILED }
    })
  }
}

const SVC_FAILED = { type: 'not_run', reason: 'svc had a fault' } as const

async function* overlaid(
  files: AsyncIterable<SourceFile>,
  texts: ReadonlyMap<string, string>,
): AsyncGenerator<SourceFile> {
  const added = new Map(texts)
  for await (const file of files) {
    const text = texts.get(file.path)
    added.delete(file.path)
    yield text === undefined ? file : { ...file, content: Buffer.from(text) }
  }
  for (const [path, text] of added) yield { path, executable: false, content: Buffer.from(text) }
}

const Manifest = z.object({ scripts: z.object({ test: z.string() }) })
/** Written by `npm init`. */
const PLACEHOLDER = 'no test specified'

/** An app declares its tests as the script `test` of the package.json at its root. */
function testCommandOf(manifest: Uint8Array | undefined): string | null {
  const json = manifest && jsonOrUndefined(Buffer.from(manifest).toString())
  const test = Manifest.safeParse(json).data?.scripts.test.trim()
  return test && !test.includes(PLACEHOLDER) ? 'npm test' : null
}
