import '@sabaki/shudan/css/goban.css'
import { render } from 'preact'
import { App } from './app'
import './style.css'

render(<App />, document.getElementById('app')!)

// The page can be installed, and opens even while tengen does not run.
if (import.meta.env.PROD && 'serviceWorker' in navigator) void navigator.serviceWorker.register('/offline.js').catch(() => {})
