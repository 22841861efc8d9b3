/** A repair that the scripted model knows, and what it must have read before it proposes it. */
export type Fix = {
  /** Log lines that show the fault. */
  readonly because: RegExp
  readonly path: string
  readonly old: string
  readonly new: string
  /** Text of another file without which the repair would be wrong. */
  readonly needs?: { readonly path: string; readonly text: string }
  /** A test of node:test that fails before the repair and passes after it. */
  readonly test?: { readonly path: string; readonly text: string }
}

const HEAD = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"

export const FIXES: readonly Fix[] = [
  {
    because: /POST \/cart 500/,
    path: 'src/cart.js',
    old: 'sum + price.amount',
    new: 'sum + (price?.amount ?? 0)',
    test: {
      path: 'src/cart.test.js',
      text: `${HEAD}import { addToCart } from './cart.js'

test('an item without a price can be added', () => {
  assert.equal(addToCart({ items: [] }, { name: 'card' }).total, 0)
})
`,
    },
  },
  {
    because: /column items\.sku does not exist/,
    path: 'src/items.js',
    old: "'sku'",
    new: "'stock_code'",
    needs: { path: 'docs/tables.md', text: 'stock_code' },
    test: {
      path: 'src/items.test.js',
      text: `${HEAD}import { readFileSync } from 'node:fs'
import { itemsQuery } from './items.js'

test('every column that is read exists', () => {
  const columns = readFileSync('docs/tables.md', 'utf8').replace('items: ', '').trim().split(', ')
  const read = [...itemsQuery().matchAll(/items\\.(\\w+)/g)].map((found) => found[1])
  assert.deepEqual(read, columns)
})
`,
    },
  },
  {
    because: /heap out of memory/,
    path: 'src/cache.js',
    old: '  entries.set(key, value)\n',
    new: '  entries.set(key, value)\n  if (entries.size > 1000) entries.delete(entries.keys().next().value)\n',
    test: {
      path: 'src/cache.test.js',
      text: `${HEAD}import { remember, size } from './cache.js'

test('the cache has a limit', () => {
  for (let key = 0; key < 5000; key++) remember(key, 'value')
  assert.equal(size(), 1000)
})
`,
    },
  },
  {
    because: /used more than \d+ MB of memory/,
    path: 'src/events.js',
    old: "  emitter.on('change', send)\n",
    new: "  emitter.on('change', send)\n  response.once('close', () => emitter.off('change', send))\n",
    test: {
      path: 'src/events.test.js',
      text: `${HEAD}import { EventEmitter } from 'node:events'
import { sendChanges } from './events.js'

test('a client that went away leaves no listener', () => {
  const [emitter, response] = [new EventEmitter(), new EventEmitter()]
  sendChanges(emitter, response)
  response.emit('close')
  assert.equal(emitter.listenerCount('change'), 0)
})
`,
    },
  },
  {
    because: /"url":"\/api\/items\/\d+".*"responseTime":(?:3[5-9]|[4-9]\d)\d\b/,
    path: 'src/items.js',
    old: `  const found = []
  for (const row of rows) found.push({ ...row, price: (await prices.of([row.id]))[0] })
  return found
`,
    new: `  const found = await prices.of(rows.map(({ id }) => id))
  return rows.map((row, index) => ({ ...row, price: found[index] }))
`,
    test: {
      path: 'src/items.test.js',
      text: `${HEAD}import { withPrices } from './items.js'

test('the prices of all rows are asked for at once', async () => {
  const asked = []
  const of = async (ids) => {
    asked.push(ids)
    return ids.map((id) => id * 10)
  }
  const rows = await withPrices([{ id: 1 }, { id: 2 }], { of })
  assert.deepEqual(rows, [{ id: 1, price: 10 }, { id: 2, price: 20 }])
  assert.deepEqual(asked, [[1, 2]])
})
`,
    },
  },
  {
    because: /GET \/search\S* 200 \d{4}\./,
    path: 'src/search.js',
    old: '  return (word) => load().filter((name) => name.includes(word))\n',
    new: '  const names = load()\n  return (word) => names.filter((name) => name.includes(word))\n',
    test: {
      path: 'src/search.test.js',
      text: `${HEAD}import { createSearch } from './search.js'

test('two searches read the names once', () => {
  let loads = 0
  const search = createSearch(() => {
    loads++
    return ['lamp', 'desk']
  })
  assert.deepEqual([search('la'), search('de')], [['lamp'], ['desk']])
  assert.equal(loads, 1)
})
`,
    },
  },
  { because: /KeyError 'vat'/, path: 'orders.py', old: "order['vat']", new: "order.get('vat', 0)" },
  {
    because: /decimal\.ConversionSyntax/,
    path: 'ledger/parse.py',
    old: 'Decimal(text)',
    new: "Decimal(text.replace(',', '.'))",
  },
  {
    because: /Cannot read properties of undefined \(reading 'map'\)/,
    path: 'app/recipes/[slug]/page.tsx',
    old: 'recipe.tags.map(',
    new: '(recipe.tags ?? []).map(',
  },
  {
    because: /because "rate" is null/,
    path: 'src/main/java/net/example/orders/QuoteService.java',
    old: 'rates.get(region)',
    new: 'rates.getOrDefault(region, BigDecimal.ONE)',
  },
]
