import type { Rolldown } from 'vite'

/**
 * Modules of the console that are in one file, because many small files compress worse. A module is in the first group
 * that matches it; each other page is a file of its own.
 */
export const CHUNKS: Rolldown.CodeSplittingGroup[] = [
  { name: 'packages', test: /[\\/]node_modules[\\/]/, tags: ['$initial'] },
  {
    name: 'every-page',
    test: matching(
      '/src/contract/(?!core/(client-stream|client-upload|decimal|event-definition)|maintenance/outcomes)',
      '/src/console/([a-z]+\\.tsx?$|address/|frame/|session/|gate/(?!no-organization))',
      '/src/console/call/(explain|notices|polling|retry|use-call|use-once)\\.',
      '/src/console/pages/.*/(routes|read-[a-z]+-search)\\.',
      '/src/console/parts/\\w+/(chip|choice|close-context|copy|dialog|fault|load-failed|loaded|page|relative-time)\\.',
      '/src/console/parts/\\w+/(skeleton|table|time|use-now|visible-text)\\.',
      'vite/preload-helper',
    ),
  },
  { name: 'most-pages', test: matching('/src/console/(parts/(?!list/long-)|call/(?!use-live))') },
  {
    name: 'charts',
    test: matching(
      '/src/console/charts/(?!part-bars|segments)',
      '/src/console/pages/mcp/activity/(activity-search|latency|to-statistics)',
    ),
  },
  {
    name: 'apps',
    test: matching('/src/console/pages/apps/([a-z]+/)?([a-z]+-(chip|card|state)|(describe|explain)-|app-[dp]|use-)'),
  },
]

/** Matches paths of Windows too. */
function matching(...paths: string[]): RegExp {
  return new RegExp(paths.join('|').replaceAll('/', '[\\\\/]'))
}
