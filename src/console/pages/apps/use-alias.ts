import { useParams } from '@tanstack/react-router'

/** Returns the alias in the address of a page inside an app. */
export function useAlias(): string {
  return useParams({ strict: false }).alias ?? ''
}
