import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRevision } from '#contract/apps/revisions.ts'
import type { Client } from '#contract/core/client.ts'
import { sql } from '#lib/db/sql.ts'
import { newApp, type TestApp } from '#test/apps/apps.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { type System, startSystem } from '#test/system.ts'
import { sendRevision } from '../../src/cli/source/send-revision.ts'
import { findFiles } from '../../src/cli/source/walk.ts'

describe.each(['together', 'apart'] as const)('services %s', (mode) => {
  let system: System
  let app: TestApp
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-revisions-'))
    system = await startSystem({ mode })
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

  it('MA-15 a file that was removed between the question and the creation is sent again', async () => {
    write('again.js', 'removed meanwhile\n')
    const { files } = await findFiles(folder)
    let isRemoved = false
    const call = (async (op: never, input: never) => {
      if (op === createRevision && !isRemoved) {
        isRemoved = true
        await system.db.query(sql`delete from apps.blobs where org_id = ${app.org_id} and size = 18`)
      }
      return app.client.call(op, input)
    }) as Client['call']
    const counts: number[] = []
    const onUpload = ({ count }: { count: number }) => void counts.push(count)
    const sent = { alias: app.alias, files, message: null, onUpload, onProgress: () => {} }
    expect(await sendRevision({ ...app.client, call }, sent)).toMatchObject({ file_count: files.length })
    expect(counts).toEqual([1, 1])
  })

  it('MA-15 a file that changes while it is sent is refused', async () => {
    write('changing.js', 'one\n')
    const { files } = await findFiles(folder)
    const onUpload = () => write('changing.js', 'two\n')
    const sent = { alias: app.alias, files, message: null, onUpload, onProgress: () => {} }
    await expect(sendRevision(app.client, sent)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'changing.js changed while the folder was being sent. Try again.',
    })
  })
})
