import { listApps } from '#contract/apps/apps.ts'
import { downloadRevision, listRevisions } from '#contract/apps/revisions.ts'
import { ServiceError } from '#contract/core/errors.ts'
import type { JsonOperation, Operation } from '#contract/core/operation.ts'
import { getSource } from '#contract/data-sources/search-config.ts'
import { listSources } from '#contract/data-sources/sources.ts'
import { dumpDatabase, listDatabases } from '#contract/databases.ts'
import { readDump } from '../../../call/read-dump.ts'
import { APP_PARTS } from './app-parts.ts'
import type { Archive } from './archive.ts'
import type { EntrySink } from './entry-sink.ts'
import type { Scope } from './part.ts'
import type { Reader } from './reader.ts'

/** Operations that say which further files there are, and fill them. */
export const LISTED_READS: readonly Operation[] = [
  listApps,
  listRevisions,
  downloadRevision,
  listSources,
  getSource,
  listDatabases,
  dumpDatabase,
]

type Target = { readonly reader: Reader; readonly archive: Archive; readonly add: Archive['add'] }

export async function addSources(target: Target): Promise<void> {
  for (const id of await namesOf(target, 'data-sources', listSources, {}, 'source_id')) {
    await target.add(`data-sources/${id}.json`, async (sink) =>
      sink.write(`${JSON.stringify(await target.reader.call(getSource, { id }), undefined, 2)}\n`),
    )
  }
}

export async function addApps(target: Target, scope: Scope): Promise<void> {
  for (const alias of await namesOf(target, 'apps', listApps, {}, 'alias')) {
    for (const { file, write } of APP_PARTS) {
      await target.add(`apps/${alias}/${file}`, (sink) => write(target.reader, { ...scope, alias }, sink))
    }
    for (const id of await namesOf(target, `apps/${alias}/revisions`, listRevisions, { alias }, 'id')) {
      await target.add(`apps/${alias}/revisions/${id}.tar`, (sink) => writeRevision(target.reader, alias, id, sink))
    }
  }
}

export async function addDatabases(target: Target, onWait: (seconds: number | undefined) => void): Promise<void> {
  for (const name of await namesOf(target, 'databases', listDatabases, {}, 'name')) {
    await target.add(`databases/${name}.sql`, async (sink) => {
      for await (const sql of readDump(target.reader.client, name, onWait)) await sink.write(sql)
    })
  }
}

/** Returns the names in a list. A list that cannot be read is a failure of the folder. */
async function namesOf(
  { reader, archive }: Target,
  folder: string,
  op: JsonOperation,
  input: Record<string, unknown>,
  key: string,
): Promise<string[]> {
  const names: string[] = []
  try {
    for await (const item of reader.items(op, input)) names.push(String(item[key]))
  } catch (error) {
    archive.fail(folder, error)
  }
  return names
}

const TAR_END_BYTES = 1024

/** A complete archive ends with two blocks of zeros. One that was cut off does not. */
async function writeRevision(reader: Reader, alias: string, revision: string, sink: EntrySink): Promise<void> {
  const path = downloadRevision.path
    .replace('{alias}', encodeURIComponent(alias))
    .replace('{revision_id}', encodeURIComponent(revision))
  let end = Buffer.alloc(0)
  for await (const bytes of await reader.download(path, 'application/x-tar')) {
    await sink.write(bytes)
    end = Buffer.concat([end, bytes]).subarray(-TAR_END_BYTES)
  }
  if (end.length < TAR_END_BYTES || end.some((byte) => byte !== 0)) {
    throw new ServiceError('UNAVAILABLE', `The files of ${revision} ended before they were complete. Try again.`)
  }
}
