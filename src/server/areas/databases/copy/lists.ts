import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '#contract/core/errors.ts'
import type { ProgramTarget } from '../engine/postgres/entrance.ts'
import { type Programs, runLeniently, runProgram } from './programs.ts'

/** Options of both programs: everything belongs to the owner, and tablespaces and labels are the server's. */
export const PLAIN = ['--no-owner', '--no-tablespaces', '--no-security-labels']
export const STRICT = ['--no-owner', '--exit-on-error']
export const SCHEMA_ONLY = ['--schema-only', '--format=custom', '--lock-wait-timeout=10s', '--no-subscriptions']
export const ROWS_ONLY = ['--data-only', '--format=custom', '--compress=0', '--lock-wait-timeout=10s']

/** Splits the entries of the archive into those restored before the rows, after them, and the rights. */
export async function writeLists(programs: Programs, archive: string, folder: string) {
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
export async function restoreRights(
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
