import { createApp, h } from 'vue'

createApp({ render: () => h('h1', 'made with vue cli') }).mount('#app')
