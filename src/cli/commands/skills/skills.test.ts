import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import packageJson from '../../../../package.json' with { type: 'json' }

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const LAUNCHER = join(ROOT, 'bin', 'svc.js')

/** Run before the client: the process dies by SIGKILL where a new file is about to take the place of an old one. */
const DIES_AT_RENAME = inline(`
  import promises from 'node:fs/promises'
  import { syncBuiltinESMExports } from 'node:module'
  promises.rename = () => process.kill(process.pid, 'SIGKILL')
  syncBuiltinESMExports()`)

const NO_NETWORK = inline(`
  import net from 'node:net'
  net.Socket.prototype.connect = () => process.kill(process.pid, 'SIGKILL')`)

function inline(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`
}

let home: string
let folder: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-skills-'))
  folder = join(home, 'project')
  await mkdir(folder)
})
afterEach(() => rm(home, { recursive: true }))

function svc(args: string[], before = NO_NETWORK) {
  const env = { PATH: process.env.PATH ?? '', HOME: home, NODE_COMPILE_CACHE: join(home, 'cache') }
  const asked = spawnSync(process.execPath, ['--import', before, LAUNCHER, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  const { status, signal, stdout, stderr } = asked
  return { status, signal, stdout, stderr }
}

type Listed = { files: { path: string; action: string; why?: string }[] }

const source = (path: string) => readFile(join(ROOT, 'skills', path), 'utf8')

describe('svc skills, as a process without a network', () => {
  it('SK-01 list shows ID and DESCRIPTION of what can be installed', () => {
    const { status, stdout } = svc(['skills', 'list'])
    expect(status).toBe(0)
    const [header, ...rows] = stdout.trimEnd().split('\n')
    expect(header).toMatch(/^ID +DESCRIPTION$/)
    expect(rows.map((row) => row.split(' ')[0])).toEqual(['svc', 'svc-ai-gateway'])
    const { items } = JSON.parse(svc(['skills', 'list', '-o', 'json']).stdout) as { items: { id: string }[] }
    expect(items.map(({ id }) => id)).toEqual(['svc', 'svc-ai-gateway'])
  })

  it('SK-01 install says what it wrote, and a second time that nothing changed', async () => {
    const first = svc(['skills', 'install', 'svc'])
    expect(first).toEqual({
      status: 0,
      signal: null,
      stdout:
        '.agents/skills/svc: 10 of 10 files written\n.claude/skills/svc: 10 of 10 files written\nAGENTS.md: written\nGEMINI.md: written\n',
      stderr: '',
    })
    expect(svc(['skills', 'install', 'svc']).stdout).toBe(
      '.agents/skills/svc: unchanged\n.claude/skills/svc: unchanged\nAGENTS.md: unchanged\nGEMINI.md: unchanged\n',
    )
    expect(await readFile(join(folder, '.claude/skills/svc/SKILL.md'), 'utf8')).toBe(await source('svc/SKILL.md'))
  })

  it('SK-01 --user installs into the home folder, --no-agents leaves AGENTS.md alone, and JSON lists every file', async () => {
    const asked = svc(['skills', 'install', 'svc-ai-gateway', '--user', '--no-agents', '--json'])
    expect(asked.status).toBe(0)
    const { files } = JSON.parse(asked.stdout) as { files: { path: string; action: string }[] }
    expect(files).toHaveLength(20)
    expect(files[0]).toEqual({ path: '.agents/skills/svc-ai-gateway/SKILL.md', action: 'written' })
    expect(await readdir(folder)).toEqual([])
    expect((await readdir(home)).filter((name) => name.startsWith('.'))).toEqual(['.agents', '.claude'])
  })

  it('SK-02 an edited file is exit 6 and named; --force replaces it', async () => {
    svc(['skills', 'install', 'svc'])
    const file = join(folder, '.agents/skills/svc/references/databases.md')
    await writeFile(file, 'mine')
    const { status, stdout, stderr } = svc(['skills', 'install', 'svc'])
    expect({ status, stdout }).toEqual({ status: 6, stdout: '' })
    expect(stderr).toContain('.agents/skills/svc/references/databases.md: was edited. Use --force to replace it')
    expect(await readFile(file, 'utf8')).toBe('mine')
    expect(svc(['skills', 'install', 'svc', '--force']).status).toBe(0)
    expect(await readFile(file, 'utf8')).toBe(await source('svc/references/databases.md'))
  })

  it('SK-02 an upgrade from 0.1.0 removes its references, and keeps and names one that was edited', async () => {
    const references = join(folder, '.agents/skills/svc-ai-gateway/references')
    await mkdir(references, { recursive: true })
    const released = await readFile(join(ROOT, 'test/fixtures/embeddings-request-0.1.0.md'))
    await writeFile(join(references, 'embeddings-request.md'), released)
    await writeFile(join(references, 'embeddings-response.md'), 'mine')
    const install = ['skills', 'install', 'svc-ai-gateway', '--no-agents']
    const { status, stdout } = svc(install)
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout:
        '.agents/skills/svc-ai-gateway: 10 of 10 files written, 1 removed\n' +
        '.claude/skills/svc-ai-gateway: 10 of 10 files written\n' +
        '.agents/skills/svc-ai-gateway/references/embeddings-response.md: kept, because it was edited. This version has no such file: delete it if you do not need it.\n',
    })
    expect(await readdir(references)).toHaveLength(10)
    const { files } = JSON.parse(svc([...install, '--json']).stdout) as Listed
    expect(files.filter(({ action }) => action !== 'unchanged')).toEqual([
      { path: '.agents/skills/svc-ai-gateway/references/embeddings-response.md', action: 'kept', why: 'was edited' },
    ])
  })

  it('SK-01 an unknown skill is exit 4 with those there are, none at all is exit 5', () => {
    const { status, stderr } = svc(['skills', 'install', 'svc-faq'])
    expect(status).toBe(4)
    expect(stderr).toContain('No such skill: svc-faq. Skills: svc, svc-ai-gateway.')
    expect(svc(['skills', 'install']).status).toBe(5)
    expect(svc(['skills', 'show', 'svc', 'references/none.md']).status).toBe(4)
  })

  it('SK-02 killed between the new file and its rename, the old one is whole', async () => {
    await writeFile(join(folder, 'AGENTS.md'), '# Mine\n')
    svc(['skills', 'install', 'svc', '--no-agents'])
    expect(svc(['skills', 'install', 'svc'], DIES_AT_RENAME).signal).toBe('SIGKILL')
    expect(await readFile(join(folder, 'AGENTS.md'), 'utf8')).toBe('# Mine\n')
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toHaveLength(1)
    expect(svc(['skills', 'install', 'svc']).status).toBe(0)
    expect(await readFile(join(folder, 'AGENTS.md'), 'utf8')).toMatch(/^# Mine\n\n<!-- BEGIN:svc-skill -->\n/)
  })

  it('SK-03 --skill-prompt prints instructions for a model, and each file they name can be printed', async () => {
    const { status, stdout, stderr } = svc(['--skill-prompt'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain(`You work with svc through its command-line client, version ${packageJson.version}`)
    expect(stdout).not.toMatch(/^---$|^name: /m)
    const named = new Set([...stdout.matchAll(/references\/[a-z-]+\.md/g)].map(([path]) => path))
    expect(named.size).toBe(9)
    for (const path of named) expect(svc(['skills', 'show', 'svc', path]).stdout).toBe(await source(`svc/${path}`))
    expect(svc(['skills', 'show', 'svc']).stdout).toBe(await source('svc/SKILL.md'))
  })
})
