import type { Deprecation } from '#contract/core/deprecation.ts'
import type { Access, RateLimit } from '#contract/core/operation.ts'
import type { PrincipalKind } from '#contract/core/principal.ts'
import type { OpenApiDocument, OperationObject, Parameter } from '../openapi/document.ts'
import type { ResponseObject } from '../openapi/responses.ts'
import { type Html, html } from '../pages/html.ts'
import { curlExample } from './curl.ts'
import { type Endpoint, exampleOf } from './example.ts'
import { pythonExample } from './python.ts'
import { count, type Field, fieldTable, prose, schemaBlock } from './schema.ts'
import { typescriptExample } from './typescript.ts'

export function operationArticle(endpoint: Endpoint, doc: OpenApiDocument): Html {
  const { method, path, op } = endpoint
  const id = op.operationId
  return html`<article id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title"><a class="anchor" href="#${id}">${op.summary}</a></h2>
<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakable(path)}</code></p>
${op.description !== undefined && html`<p>${prose(op.description)}</p>`}
<dl class="facts">${factsOf(op).map(([name, words]) => html`<div><dt>${name}</dt><dd>${words}</dd></div>`)}</dl>
${parametersBlock(op, doc)}${bodyBlock(op, doc)}${answerBlock(op, doc)}${refusalsBlock(op)}
<h3>Example</h3>
${examples(endpoint, doc)}</article>
`
}

/** The languages of the examples, by the name that the script of the page remembers. */
export const LANGUAGES = [
  ['curl', 'curl', curlExample],
  ['typescript', 'TypeScript', typescriptExample],
  ['python', 'Python', pythonExample],
] as const

function examples(endpoint: Endpoint, doc: OpenApiDocument): Html[] {
  const request = exampleOf(endpoint, doc)
  return LANGUAGES.map(
    ([
      language,
      title,
      write,
    ]) => html`<pre tabindex="0" data-language="${language}" aria-label="${title} for ${endpoint.op.summary}"><code>${write(request)}</code></pre>
`,
  )
}

/** Lets long paths wrap at their slashes. */
function breakable(path: string): Html[] {
  return path.split(/(?=\/)/).map((part) => html`<wbr>${part}`)
}

function factsOf(op: OperationObject): [string, Html[] | string][] {
  const tool = op['x-svc-mcp-tool']
  const limits = op['x-svc-rate-limits'] ?? []
  const deprecation = op['x-svc-deprecation']
  const rows: [string, Html[] | string | false][] = [
    ['Deprecated', deprecation !== undefined && prose(deprecationWords(deprecation))],
    ['Who may call', prose(accessWords(op['x-svc-access']))],
    ['Effect', effectWords(op)],
    ['Body limit', op.requestBody !== undefined && bytes(op['x-svc-body-limit'])],
    ['Rate limit', limits.length > 0 && limits.map(rateWords).join('; ')],
    ['MCP tool', tool !== undefined && prose(`\`${tool.name}\` at \`/mcp/${tool.endpoint}\``)],
    ['Name', prose(`\`${op.operationId}\``)],
  ]
  return rows.filter((row): row is [string, Html[] | string] => row[1] !== false)
}

function deprecationWords({ since, sunset, use }: Deprecation): string {
  return `Since ${since}. It may be removed from ${sunset} on. Use \`${use}\` instead.`
}

function effectWords(op: OperationObject): string {
  if (op['x-svc-effect'] === 'read') return 'Reads only'
  return typeof op['x-svc-access'] === 'object' ? 'Writes: refused to read-only sessions' : 'Writes'
}

const CALLERS: Record<PrincipalKind, string> = {
  user: 'signed-in users',
  api_token: 'API tokens',
  workload: 'workloads',
  agent: 'connected agents',
  run: 'maintenance runs',
}

export function accessWords(access: Access): string {
  if (access === 'public') return 'Anyone, without a token'
  if (access === 'operator') return 'The operator, with the operator token'
  const kinds = access.principals.filter((kind) => kind !== 'agent' || access.scope !== null)
  const who = sentence(kinds.map((kind) => CALLERS[kind]))
  const role = access.role === null ? 'in any organization or none' : `with the role \`${access.role}\` or above`
  const part = access.part === undefined ? '' : `, or with the part \`${access.part}\` in the app`
  const org = access.org === 'path' ? ', in the organization of the path' : ''
  const scope = kinds.includes('agent') ? `; agents need the scope ${scopeWords(access.scope)}` : ''
  return `${who} ${role}${part}${org}${scope}`
}

function scopeWords(scope: Exclude<Access, string>['scope']): string {
  const scopes = [scope].flat().map((one) => `\`${one}\``)
  return scopes.join(' or ')
}

function sentence(words: readonly string[]): string {
  const text = words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${words.at(-1)}` : (words[0] ?? 'nobody')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function rateWords({ limit, windowSeconds, per, counts }: RateLimit): string {
  const whom = { address: 'client address', principal: 'caller', org: 'organization' }[per]
  const what = counts === 'failures' ? ' refused requests' : ''
  return `${count(limit)}${what} in ${count(windowSeconds)} s for each ${whom}`
}

function bytes(value: number): string {
  const mebi = 1024 * 1024
  if (value >= mebi && value % mebi === 0) return `${count(value / mebi)} MiB`
  return value >= 1024 && value % 1024 === 0 ? `${count(value / 1024)} KiB` : `${count(value)} bytes`
}

const PLACES: Record<Parameter['in'], string> = { path: 'Path', query: 'Query', header: 'Headers' }

function parametersBlock({ parameters = [] }: OperationObject, doc: OpenApiDocument): Html[] {
  const all = parameters.map((one) => ('$ref' in one ? doc.components.parameters[one.$ref.split('/').at(-1)!]! : one))
  return (['path', 'query', 'header'] as const).flatMap((place) => {
    const fields: Field[] = all.filter((one) => one.in === place)
    return fields.length === 0
      ? []
      : [html`<h3>${PLACES[place]}</h3>${fieldTable(PLACES[place], fields, { doc, marks: 'required' })}`]
  })
}

function bodyBlock({ requestBody }: OperationObject, doc: OpenApiDocument): Html | false {
  if (!requestBody) return false
  const types = Object.keys(requestBody.content)
  const schema = Object.values(requestBody.content)[0]?.schema
  return html`<h3>Request body ${typeList(types)}</h3>${schema && schemaBlock('Request body', schema, { doc, marks: 'required' })}`
}

function answerBlock({ responses }: OperationObject, doc: OpenApiDocument): Html[] {
  const good = Object.entries(responses).filter((entry): entry is [string, ResponseObject] => entry[0].startsWith('2'))
  return good.map(([status, { content = {}, description }]) => {
    const schema = Object.values(content)[0]?.schema
    const words = description === 'Done' ? false : html`<p>${prose(description)}</p>`
    return html`<h3>Answer <span class="status">${status}</span> ${typeList(Object.keys(content))}</h3>${words}
${schema && schemaBlock(`Answer ${status}`, schema, { doc, marks: 'optional' })}`
  })
}

function typeList(types: readonly string[]): Html {
  return html`<span class="media">${types.join(' or ')}</span>`
}

function refusalsBlock({ responses }: OperationObject): Html {
  const statuses = Object.keys(responses).filter((status) => /^[45]/.test(status))
  return html`<h3>Refusals</h3>
<p class="refusals">${statuses.map((status) => html`<a href="/docs#status-${status}">${status}</a> `)}</p>`
}
