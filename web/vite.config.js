import { defineConfig } from 'vite'

const SERVER = `http://127.0.0.1:${process.env.TENGEN_PORT ?? 8019}`

// Shudan's wood is a picture of 190 kB; ours is drawn by style.css.
const withoutBoardPicture = {
  name: 'without-board-picture',
  enforce: 'pre',
  transform(code, id) {
    if (id.endsWith('goban.css')) return code.replace("url('./board.png')", '')
  },
}

export default defineConfig({
  plugins: [withoutBoardPicture],
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        entryFileNames: 'app.js',
        chunkFileNames: '[name].js',
        assetFileNames: '[name][extname]',
      },
    },
  },
  // `npm run dev` shows changes at once; `tengen play --no-open --no-token` must run beside it.
  server: {
    proxy: {
      '/ws': { target: SERVER, ws: true, changeOrigin: true, headers: { origin: SERVER } },
      '/games.sgf': { target: SERVER, changeOrigin: true, headers: { origin: SERVER } },
    },
  },
})
