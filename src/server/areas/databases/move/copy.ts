import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PLAIN, ROWS_ONLY, restoreRights, SCHEMA_ONLY, STRICT, writeLists } from '../copy/lists.ts'
import { type Programs, pipeDump, runProgram } from '../copy/programs.ts'
import type { ProgramTarget } from '../engine/postgres/entrance.ts'

type Copy = {
  readonly programs: Programs
  /** The database that is read, by a role with the rights of its owner. */
  readonly source: ProgramTarget
  /**
   * The empty database, which its owner fills. Not the platform's role: code of the tenant runs while it is filled, in constraints and indexes, and could take the rights of the role that is logged in.
   */
  readonly copy: ProgramTarget
  readonly print: (line: string) => void
}

const PREFIX = 'svc-move-'

/** Removes what moves left whose process was killed. A folder of another user cannot be removed and stays. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(/^svc-move-(\d+)-/.exec(name)?.[1])
    if (pid && !existsSync(`/proc/${pid}`)) {
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)
    }
  }
}

/** Copies schema, rows, indexes and rights into an empty database. Returns what could not be granted there. */
export async function copyDatabase({ programs, source, copy, print }: Copy): Promise<string[]> {
  await removeAbandoned()
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
  try {
    const archive = join(folder, 'schema')
    print('Reading the schema.')
    await runProgram(programs, 'pg_dump', source, [...PLAIN, ...SCHEMA_ONLY, `--file=${archive}`])
    const lists = await writeLists(programs, archive, folder)
    const restore = (list: string) =>
      runProgram(programs, 'pg_restore', copy, [...STRICT, `--use-list=${list}`, archive])
    await restore(lists.before)
    print('Copying the rows.')
    await pipeDump(
      programs,
      { target: source, args: [...PLAIN, ...ROWS_ONLY] },
      { target: copy, args: [...STRICT, '--data-only'] },
    )
    print('Building indexes and constraints.')
    await restore(lists.after)
    return await restoreRights(programs, copy, lists.rights, archive)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
