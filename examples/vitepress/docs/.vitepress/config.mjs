export default { title: 'made with vitepress' }
