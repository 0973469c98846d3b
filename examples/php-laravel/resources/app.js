console.log('laravel')
