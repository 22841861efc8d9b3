import { expect, it } from 'vitest'
import { findAddedPathFault, isTestPath } from './test-paths.ts'

it('MA-33 tests are recognised by their paths', () => {
  const tests = ['cart.test.mjs', 'src/cart.spec.ts', 'test/cart.js', 'a/__tests__/b.jsx', 'tests/test_cart.py']
  const more = ['cart_test.go', 'test.mjs', 'spec/cart_spec.rb', 'Tests/Cart.cs', 'test_cart.py', 'cart-test.js']
  expect([...tests, ...more].filter((path) => !isTestPath(path))).toEqual([])
  const others = [
    'cart.mjs',
    'src/contest.js',
    'latest.js',
    'src/testing.ts',
    'attest/a.js',
    'inspect.js',
    'special.js',
  ]
  expect(others.filter(isTestPath)).toEqual([])
})

it.each([
  ['cart.js', /^Only test files can be added/],
  ['node_modules/pg/test/a.test.js', /^Only test files can be added/],
  ['test/../cart.js', /^The path of an added file has only/],
  ['../test/a.js', /^The path of an added file has only/],
  ['/test/a.js', /^The path of an added file has only/],
  ['test//a.js', /^The path of an added file has only/],
  ['.github/test/a.js', /^The path of an added file has only/],
  ['test/.hidden.js', /^The path of an added file has only/],
  ['test/a b.js', /^The path of an added file has only/],
  ['test/а.test.js', /^The path of an added file has only/],
  ['test/a\u202e.test.js', /^The path of an added file has only/],
  [`test/${'a'.repeat(200)}.js`, /^The path of an added file has at most 200 characters\.$/],
])('MA-33 the agent may not add %j', (path, reason) => {
  expect(findAddedPathFault(path)).toMatch(reason)
})

it('MA-33 the agent may add a test file', () => {
  expect(['cart.test.mjs', 'src/a/__tests__/cart.ts', 'tests/test_cart.py'].map(findAddedPathFault)).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
