import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { TABLE } from '../../src/cli/commands.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..')

/** The packed client, installed without a network into a folder that has nothing else. */
describe('CL-03 the client by itself', () => {
  let folder: string
  const env = () => ({
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: folder,
    SVC_CONFIG_DIR: join(folder, 'config'),
    npm_config_cache: join(folder, 'cache'),
    npm_config_update_notifier: 'false',
  })
  const svc = (...args: string[]) =>
    run(join(folder, 'app', 'node_modules', '.bin', 'svc'), args, { env: env(), cwd: join(folder, 'app') })

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-packed-'))
    mkdirSync(join(folder, 'app'))
    const tarball = join(ROOT, 'dist', 'client.tgz')
    const flags = ['--offline', '--no-audit', '--no-fund', '--prefix', join(folder, 'app')]
    await run('npm', ['install', ...flags, tarball], { env: env(), cwd: join(folder, 'app') })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('is one bundle and its launchers, and brings no dependency', () => {
    const modules = join(folder, 'app', 'node_modules')
    expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['@svc-instance'])
    const files = readdirSync(join(modules, '@svc-instance'), { recursive: true, withFileTypes: true })
    const names = files.filter((file) => file.isFile()).map((file) => file.name)
    expect(names.sort()).toEqual(['LICENSE', 'README.md', 'cli.cjs', 'other-node.js', 'package.json', 'svc.js'])
  })

  it('brings the client and no executable of the server', () => {
    const commands = readdirSync(join(folder, 'app', 'node_modules', '.bin'))
    expect(commands.filter((name) => name.startsWith('svc'))).toEqual(['svc'])
  })

  it('prints its help and its version', async () => {
    const { stdout, stderr } = await svc('--help')
    expect(stderr).toBe('')
    for (const { path } of TABLE.commands) expect(stdout).toContain(`\n  ${path.split(' ')[0]} `)
    expect((await svc('version')).stdout).toBe(`${packageJson.version}\n`)
  })

  it('SK-01 carries the skills', async () => {
    const { stdout } = await svc('skills', 'list', '--json')
    expect(stdout).toContain('svc-ai-gateway')
    expect((await svc('--skill-prompt')).stdout).toContain('svc datasource query')
  })

  it('runs as a single file under any name, in a folder that has nothing else', async () => {
    const place = join(folder, 'single')
    mkdirSync(place)
    copyFileSync(join(ROOT, 'dist', 'cli.cjs'), join(place, 'svc'))
    const single = (...args: string[]) => run(join(place, 'svc'), args, { env: env(), cwd: place })
    expect((await single('version')).stdout).toBe(`${packageJson.version}\n`)
    expect((await single('skills', 'list', '--json')).stdout).toContain('svc-ai-gateway')
    await expect(single('status')).rejects.toMatchObject({ code: 3, stderr: expect.stringContaining('not logged in') })
    expect(readdirSync(place)).toEqual(['svc'])
  })

  it('CL-02 fails with the right code and the next step', async () => {
    await expect(svc('datasource', 'list')).rejects.toMatchObject({
      code: 3,
      stdout: '',
      stderr: 'svc: You are not logged in.\nLog in: svc login --api-url <url> --api-key-stdin\n',
    })
  })
})
