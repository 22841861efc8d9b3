import { expect, it } from 'vitest'
import { errorAbove, findErrorLine, findPlaceLine } from './error-line.ts'

const FRAMES = [
  '    at finalizeResolution (node:internal/modules/esm/resolve:275:11)',
  '    at async run (node:internal:1:1) {',
]

it.each<[string, string[], string | undefined]>([
  [
    'a module that is missing',
    [
      'node:internal/modules/esm/resolve:275',
      '    throw new ERR_MODULE_NOT_FOUND(',
      '          ^',
      '',
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/app/price.mjs' imported from /app/server.mjs",
      ...FRAMES,
      "  code: 'ERR_MODULE_NOT_FOUND',",
      '}',
      '',
      'Node.js v24.11.0',
    ],
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/app/price.mjs' imported from /app/server.mjs",
  ],
  ['a message of two lines', ['TypeError: no price', 'for the pen', ...FRAMES], 'TypeError: no price'],
  ['a message without a name', ['ready', 'price is missing', ...FRAMES], 'price is missing'],
  ['the last of two traces', ['Error: first', ...FRAMES, 'Error: second', ...FRAMES], 'Error: second'],
  [
    'Java',
    ['Exception in thread "main" a.PriceException: no', '\tat a.Main.main(Main.java:3)'],
    'Exception in thread "main" a.PriceException: no',
  ],
  ['a trace whose message was not read', FRAMES, undefined],
  ['no trace', ['SECRET is not set', 'ending'], undefined],
  ['nothing', [], undefined],
])('MA-15 the line that says why an app ended: %s', (_, lines, expected) => {
  expect(findErrorLine(lines)).toBe(expected)
})

it.each<[string, string[], string | undefined]>([
  [
    'the first frame that is neither of Node nor of a package',
    ['Error: x', '    at f (/app/node_modules/y/z.js:1:1)', '    at start (/app/server.js:3:7)', ...FRAMES],
    '    at start (/app/server.js:3:7)',
  ],
  [
    'the line above an error whose frames are all of Node',
    ['file:///app/server.js:3', "import './price.mjs'", '       ^', 'SyntaxError: no export', ...FRAMES],
    'file:///app/server.js:3',
  ],
  ['none', ['node:internal/modules:2', 'Error: x', ...FRAMES], undefined],
  ['no trace', ['ready at http://127.0.0.1:80/ now'], undefined],
])('MA-15 the place in the app that failed: %s', (_, lines, expected) => {
  expect(findPlaceLine(lines)).toBe(expected)
})

it('MA-15 what the last lines show already is not said above them', () => {
  const lines = ['TypeError: no price', '    at start (/app/server.js:3:7)', ...FRAMES]
  expect(errorAbove(lines, FRAMES)).toEqual(['TypeError: no price', '    at start (/app/server.js:3:7)'])
  expect(errorAbove(lines, lines.slice(1))).toEqual(['TypeError: no price'])
  expect(errorAbove(lines, lines)).toEqual([])
})
