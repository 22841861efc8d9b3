import { expect, it } from 'vitest'
import { asCurl, asMcp, asSvc } from './same-request.ts'

const PLAIN = { id: 'db_docs', query: 'who books cars?', filters: {}, top_k: 10 }
const HOSTILE = {
  id: 'db_docs',
  query: `it's "$(id)" \`x\``,
  filters: { category: ['a b', 'c'], year: 2024 },
  top_k: 3,
  target: 'articles',
}

it('CO-02 a question without filters is a short command', () => {
  expect(asSvc(PLAIN)).toBe(`svc datasource query db_docs 'who books cars?' --top-k 10`)
  expect(asCurl('https://svc.example.com', PLAIN)).toBe(
    `curl -X POST https://svc.example.com/api/wf/slim/data-sources/db_docs/query \\
  -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"query":"who books cars?","top_k":10}'`,
  )
  expect(JSON.parse(asMcp(PLAIN))).toEqual({
    name: 'data_source_query',
    arguments: { id: 'db_docs', query: 'who books cars?', top_k: 10 },
  })
})

it('CO-02 nothing in a question is interpreted by the shell that it is pasted into', () => {
  expect(asSvc(HOSTILE)).toBe(
    `svc datasource query db_docs 'it'\\''s "$(id)" \`x\`' --filter 'category=a b' --filter category=c --filter year=2024 --top-k 3 --target articles`,
  )
  expect(asCurl('http://127.0.0.1:8080', HOSTILE)).toContain(`-d '{"query":"it'\\''s \\"$(id)\\" \`x\`","top_k":3`)
})

it('CO-02 a question is never read as an option, nor is a character of it obeyed by the terminal', () => {
  const question = { ...PLAIN, query: '--api-url=https://x.example', filters: { '-x': 'y' }, target: '-t' }
  expect(asSvc(question)).toBe(
    'svc datasource query --filter=-x=y --top-k 10 --target=-t -- db_docs --api-url=https://x.example',
  )
  const pasted = { ...PLAIN, query: 'a\x03 reboot\n' }
  expect(asSvc(pasted)).toBe(String.raw`svc datasource query db_docs $'a\003 reboot\012' --top-k 10`)
})
