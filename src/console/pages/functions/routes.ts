import { searchOf, text } from '#console/address/search.ts'
import { pagesBelow, type RootRoute } from '#console/frame/root-route.tsx'

/** `call` names the function whose form is open, as `app/function`. */
const readFunctionSearch = searchOf({ call: text(200) })

export function functionsRoutes(root: RootRoute) {
  const { filteredPage } = pagesBelow(root)
  return [
    filteredPage('/functions', readFunctionSearch, () => import('./functions-page.tsx'), 'FunctionsPage'),
  ] as const
}
