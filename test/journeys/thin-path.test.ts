import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Ajv } from '@modelcontextprotocol/server/validators/ajv'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createOrg } from '#contract/auth/auth.ts'
import { listSlimSources } from '#contract/data-sources/sources.ts'
import type { OpenApiDocument } from '#edge/openapi/document.ts'
import { sql } from '#lib/db/sql.ts'
import { PLATFORM_TOOLS } from '#test/agents/mcp.ts'
import { type Mode, type System, startSystem } from '#test/system.ts'

const run = promisify(execFile)
const BIN = join(import.meta.dirname, '..', '..', 'bin', 'svc.js')

/** One path through every layer, the same in both ways to run. */
describe.each<Mode>(['together', 'apart'])('a list of sources, services %s', (mode) => {
  let system: System
  let viewer: Awaited<ReturnType<System['member']>>
  let admin: Awaited<ReturnType<System['member']>>

  beforeAll(async () => {
    system = await startSystem({ mode })
    admin = await system.member('admin')
    viewer = await system.member('viewer', admin.org_id)
    await addSource(admin.org_id, 'handbook', 'viewer')
    await addSource(admin.org_id, 'payroll', 'admin')
    await addSource((await system.member()).org_id, 'elsewhere', 'viewer')
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  async function addSource(orgId: string, name: string, minRole: string): Promise<void> {
    await system.db.query(sql`
      insert into data_sources.sources
        (id, org_id, database_name, name, description, exposed, min_role, filter_schema, created_at, updated_at)
      values (${`ds_${orgId}_${name}`}, ${orgId}, ${name}, ${name}, ${'What we know'}, true, ${minRole},
              '{"category": "string"}', now(), now())`)
  }

  const slim = (token: string, headers: Record<string, string> = {}) =>
    fetch(`${system.url}/api/wf/slim/data-sources`, { headers: { authorization: `Bearer ${token}`, ...headers } })

  it('DS-09 HTTP answers YAML by default, only what the caller may ask', async () => {
    const response = await slim(viewer.token)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/yaml')
    const text = await response.text()
    expect(text).toBe(
      'items:\n  - id: "db_handbook"\n    name: "handbook"\n    min_role: "viewer"\n    filters:\n      category: "string"\n' +
        '    description: "What we know"\nnext_cursor: null\n',
    )
    expect(parse(text).items).toHaveLength(1)
  })

  it('DS-09 HTTP answers JSON on request', async () => {
    const response = await slim(admin.token, { accept: 'application/json' })
    expect(response.headers.get('content-type')).toBe('application/json')
    const { items } = (await response.json()) as { items: { id: string }[] }
    expect(items.map((item) => item.id)).toEqual(['db_handbook', 'db_payroll'])
  })

  it('the typed client gets the same', async () => {
    const { items } = await system.client(viewer.token).call(listSlimSources, {})
    expect(items).toEqual([
      {
        id: 'db_handbook',
        name: 'handbook',
        min_role: 'viewer',
        filters: { category: 'string' },
        description: 'What we know',
      },
    ])
  })

  it('DS-22 `svc datasource list` prints the table', async () => {
    const config = mkdtempSync(join(tmpdir(), 'svc-cli-'))
    const env = { PATH: process.env.PATH, SVC_CONFIG_DIR: config }
    try {
      await run(process.execPath, [BIN, 'login', '--api-url', system.url, '--api-key', viewer.token], { env })
      const { stdout } = await run(process.execPath, [BIN, 'datasource', 'list'], { env })
      expect(stdout.split('\n')[0]).toMatch(/^ID\s+NAME\s+MIN ROLE\s+FILTERS\s+DESCRIPTION$/)
      expect(stdout.split('\n')[1]).toMatch(/^db_handbook\s+handbook\s+viewer\s+category:string\s+What we know$/)
    } finally {
      rmSync(config, { recursive: true })
    }
  })

  it('DS-23 an MCP client lists the tool and gets the same', async () => {
    const client = new Client({ name: 'test', version: '0' })
    const transport = new StreamableHTTPClientTransport(new URL(`${system.url}/mcp/platform`), {
      requestInit: { headers: { authorization: `Bearer ${viewer.token}` } },
    })
    await client.connect(transport)
    const { tools } = await client.listTools()
    expect(tools.map((tool) => tool.name)).toEqual(PLATFORM_TOOLS)
    expect(tools[0]!.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false })
    const result = await client.callTool({ name: 'data_sources_list', arguments: {} })
    expect(result.structuredContent).toMatchObject({ items: [{ id: 'db_handbook' }] })
    const wrong = await client.callTool({ name: 'data_sources_list', arguments: { limit: 3 } })
    expect(wrong.isError).toBe(true)
    expect(JSON.stringify(wrong.content)).toContain('limit: unknown key')
    await client.close()
  })

  it('MCP without a token, or with a wrong one, is 401', async () => {
    const response = await fetch(`${system.url}/mcp/platform`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(401)
  })

  it('OP-04 the served OpenAPI document describes what is answered, a refusal too, and can be browsed', async () => {
    const document = (await (await fetch(`${system.url}/openapi.json`)).json()) as OpenApiDocument
    const operation = document.paths['/api/wf/slim/data-sources']!.get!
    expect(operation.operationId).toBe('data-sources.slim-list')
    const fits = (schema: object, body: unknown) =>
      new Ajv({ strict: false, validateFormats: false }).validate({ ...schema, components: document.components }, body)
    const { content } = operation.responses['200'] as { content: Record<string, { schema: object }> }
    const answer = (await (await slim(admin.token, { accept: 'application/json' })).json()) as { items: object[] }
    expect(fits(content['application/json']!.schema, answer)).toBe(true)
    expect(fits(content['application/json']!.schema, { ...answer, items: [{ id: 1 }] })).toBe(false)
    const refusal = await (await slim('svc_wrong', { accept: 'application/json' })).json()
    expect(fits(document.components.schemas.Problem!, refusal)).toBe(true)
    const page = await fetch(`${system.url}/docs`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const html = await page.text()
    for (const item of Object.values(document.paths)) {
      for (const { operationId } of Object.values(item)) expect(html).toContain(`#${operationId}">`)
    }
  })

  it('AU-03 the door forwards to auth: an organization is made and can be worked in', async () => {
    const org = await system.client(admin.token).call(createOrg, { name: 'Ärzte & Söhne' })
    expect(org.slug).toMatch(/^arzte-sohne(-\d+)?$/)
    expect((await slim('svc_wrong')).status).toBe(401)
  })

  it('OP-03 every process is healthy, ready on its stores, and has metrics', async () => {
    for (const name of ['api-gateway', 'auth-service', 'deploy-api', 'mcp-server', 'worker'] as const) {
      expect((await fetch(`${system.urlOf(name)}/healthz`)).status).toBe(200)
      const ready = await fetch(`${system.urlOf(name)}/readyz`)
      expect([name, ready.status, await ready.json()]).toMatchObject([
        name,
        200,
        { status: 'ready', dependencies: { database: { status: 'ok' }, 'key-value store': { status: 'ok' } } },
      ])
      expect((await fetch(`${system.urlOf(name)}/metrics`)).status).toBe(200)
    }
  })
})
