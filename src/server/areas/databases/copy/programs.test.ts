import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { openTemporaryFolder } from '#lib/files/temporary-folder.ts'
import { feedProgram, pipeDump, programOutput } from './programs.ts'

const target = { url: 'postgresql://nobody@127.0.0.1:1/none' }
const side = { target, args: [] }

// Some run many times, because a program's end and that of its standard input are told in either order.

/** Returns a folder with these shell scripts as programs. */
async function programsOf(scripts: Readonly<Record<string, string>>) {
  const folder = await openTemporaryFolder('svc-programs-')
  onTestFinished(() => folder[Symbol.asyncDispose]())
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(folder.path, name), `#!/bin/sh\n${script}\n`)
    await chmod(join(folder.path, name), 0o755)
  }
  return { path: folder.path }
}

/** A line, then eight megabytes. */
const longInput = () =>
  Readable.from([Buffer.from('line\n'), ...Array.from({ length: 128 }, () => Buffer.alloc(65_536))])
const READS_A_LINE = 'read -r line'
const WRITES_MUCH = 'i=0; while [ $i -lt 20000 ]; do echo "a line of a dump, $i"; i=$((i+1)); done'

it('OP-08 a dump on a machine without the programs of Postgres says which are missing', async () => {
  const output = programOutput({ path: '/nonexistent' }, 'pg_dump', side)
  await expect(output.next()).rejects.toThrow('pg_dump and pg_restore are not on the PATH.')
})

it('OP-05 a program that is done before its input ends leaves the rest of it whole', async () => {
  const programs = await programsOf({ pg_restore: READS_A_LINE })
  for (let round = 0; round < 20; round++) {
    const input = longInput()
    await feedProgram(programs, 'pg_restore', side, input)
    expect((await buffer(input)).length).toBeGreaterThan(7_000_000)
  }
})

it('OP-05 a program that is done is not waited for until the end of its input', async () => {
  const programs = await programsOf({ pg_restore: READS_A_LINE })
  const input = new Readable({ read: () => {} })
  input.push('line\n')
  await feedProgram(programs, 'pg_restore', side, input)
  input.push(null)
  expect(await buffer(input)).toHaveLength(0)
})

it('OP-05 a program that fails says why, whatever is left of its input', async () => {
  const programs = await programsOf({ pg_restore: `${READS_A_LINE}; echo "no such table" >&2; exit 1` })
  await expect(feedProgram(programs, 'pg_restore', side, longInput())).rejects.toThrow(
    'pg_restore failed: no such table',
  )
})

it('OP-05 a program whose input breaks is ended', async () => {
  const programs = await programsOf({ pg_restore: 'while read -r line; do :; done' })
  const input = new Readable({ read: () => {} })
  input.push('line\n')
  const fed = feedProgram(programs, 'pg_restore', side, input)
  input.destroy(new Error('broken'))
  await expect(fed).rejects.toThrow('pg_restore failed')
})

it('OP-05 a missing program is named, and its input stays whole', async () => {
  const input = longInput()
  await expect(feedProgram({ path: '/nonexistent' }, 'pg_restore', side, input)).rejects.toThrow('not on the PATH')
  expect((await buffer(input)).length).toBeGreaterThan(7_000_000)
})

it('DS-01 a copy is done when the restore is, though the dump goes on', async () => {
  const programs = await programsOf({ pg_dump: WRITES_MUCH, pg_restore: READS_A_LINE })
  for (let round = 0; round < 30; round++) await pipeDump(programs, side, side)
})

it('DS-01 a dump is ended when its restore fails', async () => {
  const programs = await programsOf({ pg_dump: 'while :; do echo line; done', pg_restore: 'exit 1' })
  await expect(pipeDump(programs, side, side)).rejects.toThrow('pg_restore failed: exit code 1')
})

it('DS-01 a restore that fails after its dump has ended is an error', async () => {
  const programs = await programsOf({
    pg_dump: 'i=0; while [ $i -lt 4000 ]; do echo "a line of a dump, $i"; i=$((i+1)); done',
    pg_restore: `${READS_A_LINE}; i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; exit 1`,
  })
  for (let round = 0; round < 20; round++)
    await expect(pipeDump(programs, side, side)).rejects.toThrow('pg_restore failed: exit code 1')
})

it('DS-01 a restore of a dump that failed is an error, though it read to the end', async () => {
  const programs = await programsOf({ pg_dump: 'echo line; exit 1', pg_restore: 'while read -r line; do :; done' })
  await expect(pipeDump(programs, side, side)).rejects.toThrow('pg_dump failed: exit code 1')
})
