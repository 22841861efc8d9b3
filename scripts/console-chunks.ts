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
      '/src/console/call/(explain|notices|retry|use-call)\\.',
      '/src/console/pages/.*/(routes|read-[a-z]+-search)\\.',
      '/src/console/parts/(chip|choice|copy|dialog|forbidden|load-failed|loaded|page|relative-time)\\.',
      '/src/console/parts/(skeleton|table|time|use-now|visible-text)\\.',
      'vite/preload-helper',
    ),
  },
  { name: 'most-pages', test: matching('/src/console/(parts/(?!long-table)|call/(?!use-live))') },
  {
    name: 'charts',
    test: matching(
      '/src/console/charts/(?!part-bars|segments)',
      '/src/console/pages/mcp/activity/(activity-search|latency|to-statistics)',
    ),
  },
  {
    name: 'apps',
    test: matching('/src/console/pages/apps/([a-z]+/)?([a-z]+-(chip|words|card|state)|app-[dp]|use-|commands)'),
  },
]

/** Matches paths of Windows too. */
function matching(...paths: string[]): RegExp {
  return new RegExp(paths.join('|').replaceAll('/', '[\\\\/]'))
}
