import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { until } from '#test/until.ts'
import { makePipes, ProcessPipes } from './process-pipes.ts'

const OUTPUTS = ['stdout', 'stderr'] as const
const openDescriptors = () => readdirSync('/proc/self/fd').length

const FAULTS: readonly [string, (folder: string) => void, () => never][] = [
  [
    'a pipe is missing',
    (folder) => rmSync(join(folder, 'stderr')),
    () => {
      throw new Error('it was started')
    },
  ],
  [
    'the process cannot be started',
    () => {},
    () => {
      throw new Error('ENOENT: too few descriptors')
    },
  ],
]

it.each(FAULTS)('OP-07 pipes of a process are closed and removed if %s', async (_, damage, start) => {
  const parent = mkdtempSync(join(tmpdir(), 'svc-pipes-test-'))
  const folder = join(parent, 'pipes')
  expect(await makePipes(folder, OUTPUTS)).toBe(true)
  damage(folder)
  const before = openDescriptors()
  expect(() => ProcessPipes.start(folder, OUTPUTS, start)).toThrow('ENOENT')
  await until(() => openDescriptors() <= before)
  rmSync(parent, { recursive: true })
})
