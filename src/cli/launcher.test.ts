import { spawnSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const BIN = join(import.meta.dirname, '..', '..', 'bin')
/** Makes this process believe it is an old Node; a process it starts is not touched. */
const OLD = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '20.19.0' } })`

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-launcher-'))
  await mkdir(join(root, 'bin'))
  await mkdir(join(root, 'dist'))
  for (const file of ['svc.js', 'svc-server.js', 'other-node.js'])
    await copyFile(join(BIN, file), join(root, 'bin', file))
  await writeFile(join(root, 'package.json'), '{"type":"module"}')
  await writeFile(join(root, 'dist', 'cli.cjs'), `console.log('release', process.argv[2]); process.exitCode = 6`)
  for (const file of ['server.js', 'svc-server.js']) {
    await writeFile(join(root, 'dist', file), `console.log('${file}', process.argv.slice(2).join(' '))`)
  }
})
afterEach(() => rm(root, { recursive: true }))

function launch(...before: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...before, join(root, 'bin', 'svc.js'), 'word'], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test('a release runs its bundle', () => {
  expect(launch()).toEqual({ status: 6, stdout: 'release word\n', stderr: '' })
})

test('a checkout runs its source, also where something was built', async () => {
  await mkdir(join(root, 'src', 'cli'), { recursive: true })
  await writeFile(join(root, 'src', 'cli', 'main.ts'), `const from: string = 'source'; console.log(from)`)
  expect(launch()).toEqual({ status: 0, stdout: 'source\n', stderr: '' })
})

test('an old Node hands over to the one that came along, with arguments and exit code', async () => {
  await mkdir(join(root, 'node_modules', '.bin'), { recursive: true })
  await symlink(process.execPath, join(root, 'node_modules', '.bin', 'node'))
  expect(launch('--import', OLD)).toEqual({ status: 6, stdout: 'release word\n', stderr: '' })
})

test('an old Node with none to hand over to says which runs, which is needed and what to do', async () => {
  const needed = 'svc: Node 24 (at least 22.18) is required, and this is Node 20.19.0.\n'
  expect(launch('--import', OLD)).toEqual({
    status: 1,
    stdout: '',
    stderr: `${needed}Install Node 24 from https://nodejs.org, and run the same command again. Some instances have the client as one file that needs no Node: see /guides/cli at yours.\n`,
  })
  await writeFile(join(root, 'package-lock.json'), '{}')
  expect(launch('--import', OLD).stderr).toBe(
    `${needed}Install Node 24 from https://nodejs.org, or run \`npm ci\` in the folder of svc, which installs it.\n`,
  )
})

describe('OP-11 svc-server', () => {
  const server = (before: readonly string[], ...args: string[]) => {
    const file = join(root, 'bin', 'svc-server.js')
    const { status, stdout } = spawnSync(process.execPath, [...before, file, ...args], { encoding: 'utf8' })
    return { status, stdout }
  }

  test.each([
    [['start'], 'server.js start\n'],
    [['migrate'], 'svc-server.js migrate\n'],
    [['start', '--help'], 'svc-server.js start --help\n'],
    [[], 'svc-server.js \n'],
  ])('%j runs the program that knows it', (args, stdout) => {
    expect(server([], ...args)).toEqual({ status: 0, stdout })
  })

  test('start is handed over by an old Node to the one that came along', async () => {
    expect(server(['--import', OLD], 'start')).toEqual({ status: 1, stdout: '' })
    await mkdir(join(root, 'node_modules', '.bin'), { recursive: true })
    await symlink(process.execPath, join(root, 'node_modules', '.bin', 'node'))
    expect(server(['--import', OLD], 'start')).toEqual({ status: 0, stdout: 'server.js start\n' })
  })
})
