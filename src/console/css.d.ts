/** Styles of parts that few pages have. Vite loads them with the first page that imports them. */
declare module '*.css'
