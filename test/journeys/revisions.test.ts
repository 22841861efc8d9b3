import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newApp, type TestApp } from '#test/apps.ts'
import { runSvc } from '#test/cli-run.ts'
import { type System, startSystem } from '#test/system.ts'

let system: System
let app: TestApp
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-revisions-'))
  system = await startSystem()
  app = await newApp(system)
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const svc = (...args: string[]) =>
  runSvc(args, { env: { SVC_API_URL: system.url, SVC_API_KEY: app.token, SVC_CONFIG_DIR: folder }, folder })

const write = (path: string, content: string) => writeFileSync(join(folder, path), content)

async function revisions(): Promise<{ id: string; message: string | null; file_count: number }[]> {
  const { stdout } = await svc('apps', 'revisions', 'list', app.alias, '--json')
  return JSON.parse(stdout).items
}

it('MA-15 CL-03 a folder is sent once, then only what changed, and its revisions can be listed and compared', async () => {
  const { alias } = app
  expect(await svc('apps', 'revisions', 'list', alias)).toEqual({
    exit: 0,
    stdout: '',
    stderr: `${alias} has no revisions yet. Create one with: svc apps deploy ${alias} --dir .\n`,
  })
  write('server.js', 'serve(1)\n')
  write('same.js', 'same()\n')
  write('.env', 'SECRET=1\n')
  symlinkSync('/etc/passwd', join(folder, 'link'))
  const first = await svc('apps', 'deploy', alias, '--dir', folder, '-m', 'first')
  expect(first.stderr).toContain(
    'Warning: left out link, because it is not a file.\nUploading 2 of 2 files (16 bytes).\n',
  )
  write('server.js', 'serve(2)\n')
  const second = await svc('apps', 'deploy', alias, '--dir', folder, '-m', 'second')
  expect(second.stderr).toContain('Uploading 1 of 2 files (9 bytes).\n')
  const again = await svc('apps', 'deploy', alias, '--dir', folder, '-m', 'again')
  expect(again.stderr).toContain('Uploading 0 of 2 files (0 bytes).\n')
  const listed = await revisions()
  expect(listed).toMatchObject([
    { message: 'second', file_count: 2 },
    { message: 'first', file_count: 2 },
  ])
  const [newest, oldest] = listed
  const patch = '--- a/server.js\n+++ b/server.js\n@@ -1,1 +1,1 @@\n-serve(1)\n+serve(2)\n'
  expect(await svc('apps', 'diff', alias, newest!.id)).toEqual({ exit: 0, stdout: patch, stderr: '' })
  expect((await svc('apps', 'diff', alias, oldest!.id, newest!.id)).stdout).toContain('-serve(2)\n+serve(1)\n')
  const same = await svc('apps', 'diff', alias, newest!.id, newest!.id)
  expect(same).toEqual({ exit: 0, stdout: '', stderr: 'The revisions have the same files.\n' })
  expect((await svc('apps', 'diff', alias, 'rev_none')).exit).toBe(4)
})
