import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { createOperatorFetch } from '#lib/net/operator-fetch.ts'
import { annotations, type Scene, startScene } from '#test/kubernetes/workload.ts'
import { tarOf } from '#test/tar.ts'
import { fetchRevision } from './fetch-revision.ts'

describe('AU-15 OP-02 a pod fetches its revision with its workload token', () => {
  let scene: Scene
  let folder: string
  const send = createOperatorFetch()
  const tokens: Record<string, string> = {}
  const revisions: Record<string, string> = {}
  const apps: Record<string, string> = {}
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-fetch-'))
    scene = await startScene()
    const { system, cluster, org_id } = scene
    const owner = (await system.member('owner', org_id)).token
    for (const alias of ['shop', 'blog']) {
      const { id } = await system.client(owner).call(createApp, { alias })
      const account = cluster.serviceAccount('org-acme', alias, { ...annotations(org_id), 'svc/deployment': id })
      apps[alias] = id
      tokens[alias] = cluster.token(account)
      const files = [
        { name: 'run.sh', content: `echo ${alias}`, mode: 0o755 },
        { name: 'folder/é.txt', content: '' },
      ]
      const response = await fetch(`${system.url}/api/deploy/deployments/${alias}/revisions/archive`, {
        method: 'POST',
        headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/x-tar' },
        body: tarOf(files),
      })
      revisions[alias] = ((await response.json()) as { id: string }).id
    }
  })
  afterAll(async () => {
    await send[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
    await scene?.[Symbol.asyncDispose]()
  })

  const printed: string[] = []
  const fetchAs = (app: string, revisionId: string, apiUrl = scene.system.url) => {
    const tokenFile = join(folder, 'token')
    writeFileSync(tokenFile, `${tokens[app]}\n`)
    const into = join(folder, 'release')
    const print = (line: string) => void printed.push(line)
    return fetchRevision({ apiUrl, revisionId, tokenFile, folder: into, send, delay: async () => {}, print })
  }

  it('and finds its files as they were uploaded, also when it fetches again', async () => {
    for (let attempt = 0; attempt < 2; attempt++) await fetchAs('shop', revisions.shop!)
    expect(readFileSync(join(folder, 'release', 'run.sh'), 'utf8')).toBe('echo shop')
    expect(statSync(join(folder, 'release', 'run.sh')).mode & 0o111).toBe(0o111)
    expect(readFileSync(join(folder, 'release', 'folder', 'é.txt'), 'utf8')).toBe('')
  })

  it('and gets 404 for the revision of another app, as for one that does not exist', async () => {
    await expect(fetchAs('shop', revisions.blog!)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(fetchAs('shop', 'rev_none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const answers = await Promise.all(
      [revisions.blog!, 'rev_none'].map(async (id) => {
        const url = `${scene.system.url}/api/deploy/workload/revisions/${id}`
        const response = await fetch(url, { headers: { authorization: `Bearer ${tokens.shop}` } })
        const { request_id: _, ...body } = (await response.json()) as Record<string, unknown>
        return [response.status, body]
      }),
    )
    expect(answers[0]![0]).toBe(404)
    expect(answers[0]).toEqual(answers[1])
  })

  it('and gets 404 when its service account names another organization than that of the revision', async () => {
    const stranger = await scene.system.member()
    const named = { ...annotations(stranger.org_id), 'svc/deployment': apps.shop! }
    const account = scene.cluster.serviceAccount('org-other', 'shop', named)
    tokens.stranger = scene.cluster.token(account)
    await expect(fetchAs('stranger', revisions.shop!)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('and tries again while svc does not answer, but not when it is refused', async () => {
    printed.length = 0
    await expect(fetchAs('shop', revisions.shop!, 'http://127.0.0.1:1')).rejects.toThrow('no answer from')
    expect(printed).toHaveLength(5)
    tokens.nobody = 'no-token'
    printed.length = 0
    await expect(fetchAs('nobody', revisions.shop!)).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    expect(printed).toEqual([])
  })
})
