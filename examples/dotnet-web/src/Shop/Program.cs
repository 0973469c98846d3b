var app = WebApplication.CreateBuilder(args).Build();
app.MapGet("/", () => "made with asp.net");
app.Run();
