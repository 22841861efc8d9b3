import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { filesOfSkill, INSTALLABLE_SKILLS } from '#contract/skills.ts'
import { npmWithoutHome } from '#test/programs/npm-without-home.ts'
import { type ServerProcess, startProcess, untilExample } from '#test/programs/processes.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { makeBlob } from '../../scripts/release/executable.ts'
import { packRelease } from '../../scripts/release/pack-release.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..')
const { version } = packageJson
const TARGET = process.arch === 'arm64' ? 'linux-arm64' : 'linux-x64'

const EXECUTABLE = `svc-${version}-${TARGET}`
const OPTIONS = { print: () => undefined, targets: [TARGET] } as const

describe('OP-12 the files of a release', () => {
  let folder: string
  const release = (file: string) => join(folder, 'release', file)
  const place = (name: string) => {
    mkdirSync(join(folder, name), { recursive: true })
    return join(folder, name)
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-artefacts-'))
    await packRelease(join(folder, 'release'), OPTIONS)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('are the same to the byte when the same build is packed again in another folder', async () => {
    const again = join(folder, 'in another place', 'release')
    // Without the executable, which takes seconds and is Node with the blob of the next test.
    await packRelease(again, { ...OPTIONS, targets: [] })
    const sums = readFileSync(release('SHA256SUMS'), 'utf8')
    const lines = sums.trimEnd().split('\n')
    const others = lines.filter((line) => !line.endsWith(EXECUTABLE))
    expect(readFileSync(join(again, 'SHA256SUMS'), 'utf8').trimEnd().split('\n')).toEqual(others)
    const listed = [...sums.matchAll(/^[0-9a-f]{64} {2}(.+)$/gm)].map(([, file]) => file!)
    expect([...listed, 'SHA256SUMS'].toSorted()).toEqual(readdirSync(join(folder, 'release')).toSorted())
    expect(listed).toEqual(
      expect.arrayContaining([`svc-client-${version}.tgz`, `svc-server-${version}.tgz`, EXECUTABLE]),
    )
  })

  it('have executables whose contents are the same to the byte when they are made again', async () => {
    const [one, other] = [await makeBlob(place('one')), await makeBlob(place('other'))]
    expect(readFileSync(one).equals(readFileSync(other))).toBe(true)
  })

  describe('the client as one executable', () => {
    const svc = (...args: string[]) => {
      const home = place('executable')
      return run(release(EXECUTABLE), args, { env: { HOME: home, PATH: '/nonexistent' }, cwd: home })
    }

    it('runs without Node on the PATH', async () => {
      expect(await svc('--version')).toEqual({ stdout: `${version}\n`, stderr: '' })
      const help = await svc('--help')
      expect([help.stdout.includes('\n  datasource '), help.stderr]).toEqual([true, ''])
    })

    it('SK-05 installs the skills of the sources, to the byte', async () => {
      for (const name of INSTALLABLE_SKILLS) {
        await svc('skills', 'install', name)
        for (const file of filesOfSkill(name)) {
          const installed = readFileSync(join(folder, 'executable', '.claude', 'skills', name, file))
          expect(installed.equals(readFileSync(join(ROOT, 'skills', name, file))), file).toBe(true)
        }
      }
    })
  })

  it('the package of the client is installed with npm, offline', async () => {
    const home = place('client')
    const npm = await npmWithoutHome(home)
    await npm(
      'install',
      '--global',
      '--offline',
      '--prefix',
      join(home, 'prefix'),
      release(`svc-client-${version}.tgz`),
    )
    const env = { HOME: home, PATH: dirname(process.execPath) }
    expect((await run(join(home, 'prefix', 'bin', 'svc'), ['--version'], { env, cwd: home })).stdout).toBe(
      `${version}\n`,
    )
  })

  it('CL-04 the package of the client is the one that the server of the release serves', async () => {
    const unpacked = place('unpacked')
    await run('tar', ['-xzf', release(`svc-server-${version}.tgz`), '-C', unpacked])
    const [build] = readdirSync(join(unpacked, 'package', 'dist', 'builds'))
    const served = readFileSync(join(unpacked, 'package', 'dist', 'builds', build!, 'client.tgz'))
    expect(served.equals(readFileSync(release(`svc-client-${version}.tgz`)))).toBe(true)
  })

  describe('the package of the server', () => {
    let home: string
    let server: ServerProcess
    beforeAll(async () => {
      home = place('server')
      const installed = place('server/svc')
      await run('tar', ['-xzf', release(`svc-server-${version}.tgz`), '--strip-components=1', '-C', installed])
      const npm = await npmWithoutHome(home)
      await npm('ci', '--prefix', installed, '--prefer-offline')
      server = await startProcess({ HOME: home, PORT: '0' }, [join(installed, 'bin', 'svc-server.js'), 'start'], home)
      await untilExample(server)
    })
    afterAll(() => server?.[Symbol.asyncDispose]())

    it('starts the embedded default and prints what to do next, with the client that is installed', () => {
      const output = server.output.join('\n')
      expect(output).toContain('\n  svc login\n  svc datasource query db_handbook "my laptop was stolen, what now?"\n')
      expect(output).not.toContain('npx')
      expect(existsSync(join(home, '.svc', 'first-run.json'))).toBe(true)
    })

    it('brings the Node that the unit of systemd starts, and that unit', () => {
      const unit = readFileSync(join(home, 'svc', 'ops', 'systemd', 'svc.service'), 'utf8')
      const [, node, program] = /^ExecStart=\/opt\/(\S+) .*\/opt\/(\S+) start$/m.exec(unit) ?? []
      expect([existsSync(join(home, node!)), existsSync(join(home, program!))]).toEqual([true, true])
    })

    it('DS-22 is asked with the executable client, by the steps it printed', async () => {
      const env = { HOME: home, PATH: '/nonexistent' }
      const svc = (...args: string[]) => run(release(EXECUTABLE), args, { env, cwd: home })
      await svc('login')
      const { stdout } = await svc('datasource', 'query', 'db_handbook', 'my laptop was stolen, what now?', '--json')
      expect((JSON.parse(stdout) as { results: { id: string }[] }).results[0]!.id).toBe('lost-devices')
    })
  })
})
