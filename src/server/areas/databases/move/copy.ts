import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServiceError } from '#contract/core/errors.ts'
import type { ProgramTarget } from '../engine/postgres/entrance.ts'
import { type Programs, pipeDump, runLeniently, runProgram } from './programs.ts'

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

/** Options of both programs: everything belongs to the owner, and tablespaces and labels are the server's. */
const PLAIN = ['--no-owner', '--no-tablespaces', '--no-security-labels']
const STRICT = ['--no-owner', '--exit-on-error']

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
    const schema = ['--schema-only', '--format=custom', '--lock-wait-timeout=10s', '--no-subscriptions']
    await runProgram(programs, 'pg_dump', source, [...PLAIN, ...schema, `--file=${archive}`])
    const lists = await writeLists(programs, archive, folder)
    const restore = (list: string) =>
      runProgram(programs, 'pg_restore', copy, [...STRICT, `--use-list=${list}`, archive])
    await restore(lists.before)
    print('Copying the rows.')
    await pipeDump(
      programs,
      { target: source, args: [...PLAIN, '--data-only', '--format=custom', '--compress=0'] },
      { target: copy, args: [...STRICT, '--data-only'] },
    )
    print('Building indexes and constraints.')
    await restore(lists.after)
    return await restoreRights(programs, copy, lists.rights, archive)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Splits the entries of the archive into those restored before the rows, after them, and the rights. */
async function writeLists(programs: Programs, archive: string, folder: string) {
  const list = async (section: string) => {
    const output = await runProgram(programs, 'pg_restore', undefined, ['--list', `--section=${section}`, archive])
    return output.split('\n').filter((line) => /^\d+;/.test(line) && !BELONGS_TO_TEMPLATE.test(line))
  }
  const [before, after] = [await list('pre-data'), await list('post-data')]
  const isRight = (line: string) => RIGHTS.test(line)
  const isOther = (line: string) => !RIGHTS.test(line)
  const write = async (name: string, lines: string[]) => {
    const file = join(folder, name)
    await writeFile(file, lines.join('\n'))
    return file
  }
  return {
    before: await write('before', before.filter(isOther)),
    after: await write('after', after.filter(isOther)),
    rights: await write('rights', [...before, ...after].filter(isRight)),
  }
}

/** Lines of a list: `<id>; <class> <oid> <kind> <schema> <name> <owner>`. */
const RIGHTS = /^\d+; \d+ \d+ (?:DEFAULT )?ACL /
/** The copy has the extension already, and only a superuser may comment on it. */
const BELONGS_TO_TEMPLATE = /^\d+; \d+ \d+ (?:EXTENSION - |COMMENT - EXTENSION )vector /
const NO_SUCH_ROLE = /role "[^"]{1,63}" does not exist/

/** An owner can grant rights to roles of other tenants, who have no role on the other server. */
async function restoreRights(
  programs: Programs,
  copy: ProgramTarget,
  list: string,
  archive: string,
): Promise<string[]> {
  const lines = await runLeniently(programs, 'pg_restore', copy, ['--no-owner', `--use-list=${list}`, archive])
  const errors = lines.filter((line) => /\berror:/.test(line))
  const [other] = errors.filter((line) => !NO_SUCH_ROLE.test(line))
  if (other !== undefined) throw new ServiceError('CONFLICT', `A right could not be copied: ${other}`)
  return errors.map((line) => `A right was not copied: ${NO_SUCH_ROLE.exec(line)![0]}.`)
}
