import { createRoot } from 'react-dom/client'

createRoot(document.getElementById('root')).render(<h1>made with vite and react</h1>)
